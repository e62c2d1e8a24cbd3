package io.muster.cli.token;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import io.muster.inventory.axis.Times;
import io.muster.inventory.problem.InvalidException;
import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A verb that reads or writes the file with the tokens in a state directory. */
abstract class TokenVerb extends Verb {
    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    private String where = "";

    TokenVerb(Console console) {
        super(console);
    }

    abstract int run(TokenFile file) throws IOException;

    @Override
    public final Integer call() throws IOException {
        LocalDisk disk = place.disk(console());
        where = disk.where();
        TokenFile file = new TokenFile(disk);
        if (!json) {
            StateDirOptions.say(console(), "tokens of the daemon with the state directory " + where);
        }
        try {
            return run(file);
        } catch (InvalidException e) {
            if (!String.valueOf(e.getMessage()).startsWith(file.where())) {
                throw e;
            }
            throw new Failure(
                    Exit.ERROR,
                    String.valueOf(e.getMessage()),
                    "repair the file, or delete it and create the tokens again: until then, the daemon accepts no token");
        }
    }

    final boolean json() {
        return json;
    }

    static void edit(TokenFile file, UnaryOperator<List<Token>> edit) throws IOException {
        if (!file.edit(edit)) {
            throw new Failure(Exit.CONFLICT, "another `muster token` is changing " + file.where(), "try again");
        }
    }

    final ObjectNode document() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("schema_version", SCHEMA_VERSION)
                .put("state_dir", where);
    }

    /** Writes the public data of a token into an object. */
    static void describe(ObjectNode to, Token token) {
        to.put("name", token.name());
        ArrayNode rights = to.putArray("rights");
        Token.words(token.rights()).forEach(rights::add);
        to.put("holder", token.holder());
        to.put("hosts", token.hosts());
        to.put("created", Times.rfc3339(token.created()));
        to.put("expires", token.expires() > 0 ? Times.rfc3339(token.expires()) : null);
    }
}
