package io.muster.cli.token;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.Zone;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import io.muster.inventory.axis.Times;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;

/** {@code muster token list}. */
@Command(
        name = "list",
        description = {
            "Show the tokens of the HTTP API, with their rights, when they expire, and when they were last used.",
            "The daemon notes the last uses every minute, and when it ends."
        },
        footer = {"  muster token list", "  muster token list --json"})
public final class TokenList extends TokenVerb {
    public TokenList(Console console) {
        super(console);
    }

    @Override
    int run(TokenFile file) throws IOException {
        List<Token> tokens = file.read();
        Map<String, Double> used = file.used();
        if (json()) {
            ObjectNode document = document();
            ArrayNode all = document.putArray("tokens");
            for (Token token : tokens) {
                ObjectNode each = all.addObject();
                describe(each, token);
                each.put("expired", token.isExpired(console().now()));
                Double last = used.get(token.digest());
                each.put("last_use", last == null ? null : Times.rfc3339(last));
            }
            console().json(document);
        } else {
            print(tokens, used);
        }
        return Exit.OK;
    }

    private void print(List<Token> tokens, Map<String, Double> used) {
        Table table = new Table(
                Column.left("name", "NAME"),
                Column.left("rights", "RIGHTS"),
                Column.left("holder", "HOLDER"),
                Column.left("created", "CREATED"),
                Column.left("expires", "EXPIRES"),
                Column.left("used", "LAST USE"));
        Zone zone = console().zone();
        for (Token token : tokens) {
            Double last = used.get(token.digest());
            String end = token.expires() > 0 ? zone.second(token.expires()) : "never";
            table.row(
                    token.name(),
                    String.join(",", Token.words(token.rights())),
                    Objects.requireNonNullElse(token.holder(), ""),
                    zone.second(token.created()),
                    token.isExpired(console().now()) ? end + " (expired)" : end,
                    last == null ? "never" : zone.second(last));
        }
        console().print(table.render(true, console().style()));
    }
}
