package io.muster.daemon.token;

import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Scope;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Kind;
import io.muster.inventory.problem.InvalidException;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens that are in force. If the file cannot be read, no token is in force: a token that was just revoked must not
 * stay in force because the file has a fault.
 */
public final class Tokens {
    /** How often {@link #look} is to be called. A revoked token is refused after this time at the latest. */
    public static final long EVERY_SECONDS = 2;

    private static final Logger log = LoggerFactory.getLogger("token");

    private static final long WRITE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final TokenFile file;
    private final DoubleSupplier now;
    private final LongSupplier nanos;
    private final AccountBook accounts;
    private final Consumer<String> refusals;
    private final Map<String, Double> used = new ConcurrentHashMap<>();
    private volatile Map<String, Token> byDigest = Map.of();
    private volatile boolean usedSince;

    // These fields belong to the worker thread.
    private byte @Nullable [] text;
    private String fault = "";
    private long writtenAt;

    /**
     * @param now the daemon's time in seconds since the epoch
     * @param nanos a monotonic clock in nanoseconds
     * @param accounts counts wrong tokens by the address from which they came: 256 bits cannot be guessed, but a program with a wrong
     *     token could fill the log
     * @param refusals receives why a token was refused, in one word: unknown or expired
     */
    public Tokens(
            TokenFile file, DoubleSupplier now, LongSupplier nanos, AccountBook accounts, Consumer<String> refusals) {
        this.file = file;
        this.now = now;
        this.nanos = nanos;
        this.accounts = accounts;
        this.refusals = refusals;
        this.writtenAt = nanos.getAsLong();
    }

    /**
     * Returns the identity to which a token belongs; null if the token is not in force. May be called on any thread: the API calls this
     * method for each request, and regularly while events are followed.
     *
     * @param source the address from which the token came, for the log and for {@link #isGuessing}
     */
    public @Nullable Identity of(String token, String source) {
        Token found = byDigest.get(Token.digest(token));
        double time = now.getAsDouble();
        if (found == null || found.isExpired(time)) {
            refused(found, source);
            return null;
        }
        used.put(found.digest(), time);
        usedSince = true;
        return identity(found);
    }

    /** Returns the identity to which the token with this name belongs; null if none is in force. May be called on any thread. */
    public @Nullable Identity named(String name) {
        double time = now.getAsDouble();
        return byDigest.values().stream()
                .filter(token -> token.name().equals(name) && !token.isExpired(time))
                .findFirst()
                .map(Tokens::identity)
                .orElse(null);
    }

    private static Identity identity(Token found) {
        Scope scope = new Scope(set(found.holder()), set(found.hosts()));
        return Identity.ofToken(found.name(), found.rights(), scope, found.maker());
    }

    private static Set<String> set(@Nullable String name) {
        return name == null ? Set.of() : Set.of(name);
    }

    /**
     * Returns whether too many wrong tokens came from this source lately. A right token is never refused because of others from the same
     * address.
     */
    public boolean isGuessing(String source) {
        return accounts.account(Kind.STRANGER, source).isGuessing();
    }

    private void refused(@Nullable Token expired, String source) {
        refusals.accept(expired == null ? "unknown" : "expired");
        if (accounts.account(Kind.STRANGER, source).guess()) {
            log.warn(
                    "{}: refused {}; further ones from there are only counted for a minute",
                    source,
                    expired == null ? "an unknown token" : "the token " + expired.name() + ", which has expired");
        }
    }

    /** Puts the tokens of the file in force, if the file changed, and records the last uses from time to time. */
    public void look() {
        try {
            byte[] next = file.bytes();
            if (!Arrays.equals(next, text)) {
                replace(file.parse(next));
                text = next;
            }
            mended();
        } catch (IOException e) {
            refuseAll(String.valueOf(e.getMessage()));
        } catch (InvalidException e) {
            refuseAll(String.valueOf(e.getMessage()).replace('\n', ' '));
        }
        if (usedSince && nanos.getAsLong() - writtenAt >= WRITE_NANOS) {
            writeUses();
        }
    }

    private void replace(List<Token> tokens) {
        Map<String, Token> next = new HashMap<>();
        tokens.forEach(token -> next.put(token.digest(), token));
        if (text == null) {
            file.used().forEach(used::putIfAbsent);
        }
        byDigest = Map.copyOf(next);
        used.keySet().retainAll(next.keySet());
    }

    private void refuseAll(String sentence) {
        text = null;
        byDigest = Map.of();
        if (!sentence.equals(fault)) {
            fault = sentence;
            log.error("no token is accepted until the file is repaired: {}", sentence);
        }
    }

    private void mended() {
        if (!fault.isEmpty()) {
            fault = "";
            log.info("{} is valid again: its tokens are accepted", file.where());
        }
    }

    /** Writes the last uses. To be called at the end of the daemon, after the last call of {@link #look}. */
    public void writeUses() {
        if (!usedSince) {
            return;
        }
        usedSince = false;
        writtenAt = nanos.getAsLong();
        try {
            file.used(Map.copyOf(used));
        } catch (IOException e) {
            log.warn("the last uses of tokens were not written: {}", e.getMessage());
        }
    }
}
