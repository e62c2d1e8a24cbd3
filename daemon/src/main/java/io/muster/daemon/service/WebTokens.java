package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.Aside;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import io.muster.daemon.token.Tokens;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.problem.InvalidException;
import io.muster.protocol.admin.WebRequest;
import io.muster.protocol.operation.Right;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves {@code resource.web}: makes a token for the page, with rights that the user has. */
public final class WebTokens {
    private static final Logger log = LoggerFactory.getLogger("token");

    private static final int NAME_DIGITS = 8;
    private static final int LONGEST_USER = 40;

    /** How many tokens for the page one user may have at a time. A further one takes the place of the oldest. */
    static final int MOST_OF_USER = 20;

    /** The rights that a token for the page may add to those that every page needs. */
    private static final Set<Right> CHOICES = EnumSet.of(Right.READ, Right.HOLD, Right.CHANGE);

    private final TokenFile file;
    private final Tokens tokens;
    private final DoubleSupplier now;
    private final Aside worker;
    private volatile @Nullable String address;

    /**
     * @param now the daemon's time in seconds since the epoch
     * @param worker runs the writing of the file on the thread that calls {@link Tokens#look}
     */
    public WebTokens(TokenFile file, Tokens tokens, DoubleSupplier now, Aside worker) {
        this.file = file;
        this.tokens = tokens;
        this.now = now;
        this.worker = worker;
    }

    /** Sets the address of the page, without a slash at its end; null if the daemon serves no page. May be called on any thread. */
    public void serveAt(@Nullable String url) {
        address = url;
    }

    /** Returns the right that a request names. */
    static Right right(WebRequest request) {
        return Right.of(request.right())
                .filter(CHOICES::contains)
                .orElseThrow(() -> new RpcException(
                        Errno.EINVAL, "\"" + request.right() + "\" is not one of the rights read, hold and change"));
    }

    /** Returns the holder under which a page drains: the one that is asked for, else the only one that the user may use, else the user. */
    static @Nullable String holder(WebRequest request, Set<String> granted, String user) {
        if (right(request) != Right.HOLD || request.holder() != null) {
            return request.holder();
        }
        return granted.size() == 1 ? granted.iterator().next() : word(user);
    }

    /** Makes a token. The caller has made sure that the user has the right and may use the holder. */
    void make(WebRequest request, @Nullable String holder, String user, Replier reply) {
        String url = address;
        if (url == null) {
            throw new RpcException(
                    Errno.ENOENT, "the daemon serves no page: the configuration has no [[listen]] with https or http");
        }
        Set<Right> rights = EnumSet.of(Right.READ, Right.FOLLOW, right(request));
        String fault = Token.holderFault(rights, holder);
        if (fault != null) {
            throw new RpcException(Errno.EINVAL, "the holder " + fault);
        }
        String text = Token.newText();
        double created = Epoch.rounded(now.getAsDouble());
        String name =
                Token.WEB + word(user) + "-" + UUID.randomUUID().toString().substring(0, NAME_DIGITS);
        Token token = new Token(name, Token.digest(text), rights, holder, created, created + request.lifetime());
        worker.run(
                () -> {
                    RpcException refusal = add(token);
                    return () -> {
                        if (refusal != null) {
                            reply.fail(refusal);
                            return;
                        }
                        log.info("the token {} was made for a page of {}", token.name(), user);
                        reply.done(Json.encode(answer(token).put("url", url).put("token", text)));
                    };
                },
                bug -> reply.fail(new RpcException(Errno.EIO, bug)));
    }

    /** Adds a token to the file and puts it in force. Returns why that failed, or null. */
    private @Nullable RpcException add(Token token) {
        try {
            if (!file.edit(all -> with(all, token))) {
                return new RpcException(Errno.EBUSY, "another program is changing " + file.where() + ": try again");
            }
            tokens.look();
            return null;
        } catch (RpcException e) {
            return e;
        } catch (IOException | InvalidException e) {
            String fault = String.valueOf(e.getMessage()).replace('\n', ' ');
            return new RpcException(Errno.EIO, "the token was not written: " + fault);
        }
    }

    /**
     * Returns the tokens with one more, and without the tokens for pages that have expired or exceed the limit, because
     * users do not revoke such tokens.
     */
    static List<Token> with(List<Token> tokens, Token token) {
        List<Token> kept = new ArrayList<>(tokens);
        kept.removeIf(each -> each.name().startsWith(Token.WEB) && each.isExpired(token.created()));
        String user = token.name().substring(0, token.name().length() - NAME_DIGITS);
        List<Token> own = kept.stream()
                .filter(each -> each.name().startsWith(user)
                        && each.name().length() == token.name().length())
                .sorted(Comparator.comparingDouble(Token::created))
                .toList();
        kept.removeAll(own.subList(0, Math.max(0, own.size() - MOST_OF_USER + 1)));
        if (kept.size() >= TokenFile.MOST) {
            String sentence =
                    "there are " + kept.size() + " tokens, which is the limit: revoke those that are not used";
            throw new RpcException(Errno.EBUSY, sentence);
        }
        kept.add(token);
        return kept;
    }

    /** Returns a name of a user as a word that names of tokens and holders may have. */
    private static String word(String user) {
        String plain = user.replaceAll("[^A-Za-z0-9._:@-]", "-");
        return plain.substring(0, Math.min(plain.length(), LONGEST_USER));
    }

    private static ObjectNode answer(Token token) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", token.name());
        ArrayNode rights = json.putArray("rights");
        Token.words(token.rights()).forEach(rights::add);
        json.put("holder", token.holder());
        json.set("created", Epoch.number(token.created()));
        json.set("expires", Epoch.number(token.expires()));
        return json;
    }
}
