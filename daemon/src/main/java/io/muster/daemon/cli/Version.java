package io.muster.daemon.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.Identity;
import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Standing;
import io.muster.daemon.cli.console.Verb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster version}. */
@Command(name = "version", description = "Print the version of this command.")
final class Version extends Verb {
    @Option(names = "--json", description = "JSON, with a schema_version.")
    private boolean json;

    Version(Console console) {
        super(console);
    }

    @Override
    public Integer call() {
        String java = Runtime.version().toString();
        if (json) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.put("schema_version", Standing.SCHEMA_VERSION).put("version", Identity.version());
            console().json(document.put("revision", Identity.revision()).put("java", java));
        } else {
            console().println("muster " + Identity.build() + ", Java " + java);
        }
        return Exit.OK;
    }
}
