package io.muster.cli.token;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster token revoke}. */
@Command(
        name = "revoke",
        description = {
            "Revoke tokens of the HTTP API.",
            "The daemon refuses them within about two seconds, and ends the event streams that they opened within "
                    + "about twelve seconds. If one of the names is unknown, no token is revoked."
        },
        footer = {"  muster token revoke grafana", "  muster token revoke --json grafana alerts"})
public final class TokenRevoke extends TokenVerb {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of tokens.")
    private List<String> names = List.of();

    public TokenRevoke(Console console) {
        super(console);
    }

    @Override
    int run(TokenFile file) throws IOException {
        edit(file, this::without);
        if (json()) {
            ObjectNode document = document();
            ArrayNode revoked = document.putArray("revoked");
            names.stream().distinct().forEach(revoked::add);
            console().json(document);
        } else {
            console().println("revoked " + String.join(", ", names));
        }
        return Exit.OK;
    }

    private List<Token> without(List<Token> tokens) {
        for (String name : names) {
            if (tokens.stream().noneMatch(token -> token.name().equals(name))) {
                throw new Failure(
                        Exit.NO_TARGET,
                        "there is no token " + name,
                        "`muster token list` shows the names of all tokens");
            }
        }
        return tokens.stream().filter(token -> !names.contains(token.name())).toList();
    }
}
