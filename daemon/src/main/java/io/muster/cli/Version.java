package io.muster.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.Build;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster version}. */
@Command(
        name = "version",
        description = "Print the version of this command.",
        footer = {"  muster version", "  muster version --json"})
final class Version extends Verb {
    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    Version(Console console) {
        super(console);
    }

    @Override
    public Integer call() {
        String java = Runtime.version().toString();
        if (json) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.put("schema_version", SCHEMA_VERSION).put("version", Build.version());
            console().json(document.put("revision", Build.revision()).put("java", java));
        } else {
            console().println("muster " + Build.build() + ", Java " + java);
        }
        return Exit.OK;
    }
}
