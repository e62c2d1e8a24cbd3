package io.muster.daemon.api;

import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Limit;
import io.muster.daemon.http.Ask;
import io.muster.daemon.http.Exchange;
import io.muster.daemon.http.Refusal;
import io.muster.daemon.token.Tokens;
import io.muster.protocol.operation.Right;
import io.muster.protocol.rpc.Errno;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds the users of requests over HTTP, and charges requests to them. May be used on any thread. */
public final class Callers {
    /** How many requests of one user are served at a time, beside readers of events. */
    private static final int MOST_REQUESTS = 64;

    private static final String BEARER = "Bearer ";

    private final Admissions admissions;
    private final AccountBook accounts;
    private final Tokens tokens;
    private final Executor core;

    /** @param core runs tasks on the core thread */
    public Callers(Admissions admissions, AccountBook accounts, Tokens tokens, Executor core) {
        this.admissions = admissions;
        this.accounts = accounts;
        this.tokens = tokens;
        this.core = core;
    }

    Admissions admissions() {
        return admissions;
    }

    /**
     * The sender of a request.
     *
     * @param token null if the connection identifies the sender
     */
    record Sender(Identity identity, @Nullable String token) {}

    /** @throws Refusal 401 if the sender of the request is not known */
    Sender of(Ask head) {
        if (List.of("cross-site", "same-site").contains(String.valueOf(head.header("sec-fetch-site")))) {
            throw Refusal.ofOtherSite();
        }
        String authorization = head.header("authorization");
        Identity peer = head.peer();
        if (authorization == null) {
            if (peer == null) {
                throw new Refusal(
                        401,
                        "the request has no token: send the header Authorization: Bearer TOKEN; `muster token create NAME` makes one");
            } else if (head.isFromPage() && !head.method().equals("GET") && !head.isHead()) {
                throw new Refusal(
                        401,
                        "a page must send a token to change something: `muster web --rights=hold` makes one for a page");
            }
            return new Sender(peer, null);
        }
        String token = authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length()).strip()
                : "";
        Identity identity = token.isEmpty() ? null : tokens.of(token, head.source());
        if (identity == null && tokens.isGuessing(head.source())) {
            throw new Refusal(429, "too many wrong tokens came from this address: send a right one, or wait a minute")
                    .with("retry-after", "60");
        } else if (identity == null) {
            throw new Refusal(
                    401, "the token is unknown, revoked or expired, or the header is not Authorization: Bearer TOKEN");
        }
        return new Sender(identity, token);
    }

    /** Finds the rights of a sender; passes null if the user is not admitted. */
    void rights(Sender sender, Consumer<@Nullable Rights> then) {
        Rights known = admissions.known(sender.identity());
        if (known == null) {
            core.execute(() -> admissions.rightsOfAccepted(sender.identity(), then));
        } else {
            then.accept(known);
        }
    }

    /** Charges a request whose body has not arrived, if its user is known by now and has the right. */
    void begin(Exchange exchange, Right right) {
        Rights known = admissions.known(of(exchange.ask()).identity());
        if (known != null && known.allow(right)) {
            charge(exchange, known);
        }
    }

    /** Charges a request to the account of its user, until its connection is closed. Returns the account. */
    Account charge(Exchange exchange, Rights rights) {
        if (exchange.account() == null) {
            int most = MOST_REQUESTS + accounts.limits().readers();
            exchange.charge(rights.begin(accounts, Limit.REQUESTS, most, "requests over HTTP"));
        }
        return Objects.requireNonNull(exchange.account());
    }

    /**
     * Charges a request to the account of a user who needs a right.
     *
     * @throws Refusal 403 if the user does not have the right
     */
    Account admit(Exchange exchange, @Nullable Rights rights, Right right) {
        Rights sender = Objects.requireNonNull(rights);
        if (!sender.allow(right)) {
            throw new Refusal(403, admissions.inForce().refusal(sender, right), Errno.EPERM.name());
        }
        return charge(exchange, sender);
    }

    /** Calls {@code drop} if the user has lost a right, or if the token is not valid any more. */
    void recheck(Sender sender, String source, Right right, Runnable drop) {
        String token = sender.token();
        if (token != null && !sender.identity().equals(tokens.of(token, source))) {
            drop.run();
            return;
        }
        rights(sender, rights -> {
            if (rights == null || !rights.allow(right)) {
                drop.run();
            }
        });
    }
}
