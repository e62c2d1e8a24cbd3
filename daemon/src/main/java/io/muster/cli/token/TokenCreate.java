package io.muster.cli.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster token create}. */
@Command(
        name = "create",
        description = {
            "Create a token for the HTTP API, and print it once. No command prints it again.",
            "A request with the header \"Authorization: Bearer TOKEN\" has the rights of the token. The state "
                    + "directory keeps only the SHA-256 of the token. Run this as the user that runs the daemon, or as "
                    + "root; the daemon accepts the token within two seconds."
        },
        footer = {
            "  muster token create grafana",
            "  muster token create alertmanager --rights=hold --holder=alerts --for=365d",
            "  (umask 077; muster token create backup --rights=read,follow > token)"
        })
public final class TokenCreate extends TokenVerb {
    @Parameters(
            paramLabel = "NAME",
            description = "Name of the token. The journal and the log name its user token:NAME.")
    private String name = "";

    @Option(
            names = "--rights",
            paramLabel = "RIGHT,...",
            split = ",",
            hideParamSyntax = true,
            description =
                    "Rights of the token: read, follow, hold, alerts, report-check, work, action or change. Default: read.")
    private List<String> rights = List.of("read");

    @Option(
            names = "--holder",
            paramLabel = "HOLDER",
            description = "With the right hold: the holder under which the token drains.")
    private @Nullable String holder;

    @Option(
            names = "--hosts",
            paramLabel = "HOSTS",
            description = "With the right report-check: the hosts whose checks the token reports, or all.")
    private @Nullable String hosts;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            description = "The token expires after this time, such as 12h or 90d; inf is never. Default: 90d.")
    private String lifetime = "90d";

    public TokenCreate(Console console) {
        super(console);
    }

    @Override
    int run(TokenFile file) throws IOException {
        String text = Token.newText();
        Token token = new TokenOrder(name, rights, holder, hosts, lifetime)
                .token(Token.digest(text), console().now());
        edit(file, tokens -> TokenOrder.with(tokens, token));
        if (json()) {
            ObjectNode document = document();
            describe(document, token);
            console().json(document.put("token", text));
        } else {
            console().println(text);
        }
        return Exit.OK;
    }
}
