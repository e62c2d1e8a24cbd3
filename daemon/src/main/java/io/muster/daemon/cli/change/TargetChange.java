package io.muster.daemon.cli.change;

import io.muster.daemon.cli.console.Console;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** A change to hosts, with words about it. */
abstract class TargetChange extends Change {
    @Parameters(index = "0", paramLabel = "TARGETS", description = "An idset or a hostlist.")
    private String targets = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "REASON",
            description = "All further words; they go to the journal, and to `muster why`.")
    private String @Nullable [] words;

    TargetChange(Console console) {
        super(console);
    }

    final String targets() {
        return targets;
    }

    final @Nullable String words() {
        return Force.words(words);
    }

    final String cause() {
        String text = words();
        return text == null ? "" : text;
    }
}
