package io.muster.cli.token;

import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.Fsd;
import io.muster.daemon.config.Grant;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.problem.MalformedException;
import io.muster.protocol.operation.Right;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A token that a user requests.
 *
 * @param lifetime a duration of Flux, or inf
 */
record TokenOrder(
        String name,
        List<String> rights,
        @Nullable String holder,
        @Nullable String hosts,
        String lifetime) {
    /** @throws Failure naming the option that is wrong */
    Token token(String digest, double time) {
        refuse("NAME", Token.nameFault(name));
        Set<Right> granted = EnumSet.noneOf(Right.class);
        for (String word : rights) {
            granted.add(Right.of(word)
                    .filter(Token.GRANTABLE::contains)
                    .orElseThrow(() -> new Failure(
                            Exit.USAGE,
                            "--rights: a token cannot have the right \"" + word + "\"",
                            "the rights of tokens are " + String.join(", ", Token.WORDS))));
        }
        refuse("--holder", Token.holderFault(granted, holder));
        refuse("--hosts", Grant.hostsFault(granted.contains(Right.REPORT_CHECK), hosts));
        double now = Epoch.rounded(time);
        return new Token(name, digest, granted, holder, hosts, now, expires(now));
    }

    private double expires(double now) {
        try {
            Fsd time = Fsd.parse(lifetime);
            double end = now + time.seconds();
            if (time.isForever()) {
                return 0;
            }
            if (time.seconds() > 0 && end <= Epoch.LAST) {
                return Epoch.rounded(end);
            }
        } catch (MalformedException e) {
            // The sentence below describes the form of a duration.
        }
        throw new Failure(Exit.USAGE, "--for: \"" + lifetime + "\" is not a duration, such as 12h, 90d or inf");
    }

    private static void refuse(String option, @Nullable String fault) {
        if (fault != null) {
            throw new Failure(Exit.USAGE, option + ": " + fault);
        }
    }

    /** Adds a token. A token of the same name that has expired makes room for it. */
    static List<Token> with(List<Token> tokens, Token token) {
        List<Token> all = new ArrayList<>();
        for (Token each : tokens) {
            if (!each.name().equals(token.name())) {
                all.add(each);
            } else if (!each.isExpired(token.created())) {
                throw new Failure(
                        Exit.CONFLICT,
                        "there is a token " + token.name() + " already",
                        "choose another name, or revoke it: muster token revoke " + token.name());
            }
        }
        if (all.size() >= TokenFile.MOST) {
            throw new Failure(
                    Exit.CONFLICT,
                    "there are " + all.size() + " tokens, which is the limit",
                    "revoke tokens that are not used; `muster token list` shows their last use");
        }
        all.add(token);
        return all;
    }
}
