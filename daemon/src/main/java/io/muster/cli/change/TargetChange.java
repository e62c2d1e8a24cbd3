package io.muster.cli.change;

import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Console;
import io.muster.inventory.state.Command;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** A change to hosts, with a reason or cause in words. */
abstract class TargetChange extends Change {
    @Parameters(index = "0", paramLabel = "TARGETS", description = "Ranks, hosts, @PROPERTY or all.")
    private String targets = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "REASON",
            parameterConsumer = ReasonWords.class,
            description = "All further words; they go to the journal, and to `muster why`.")
    private String @Nullable [] words;

    TargetChange(Console console) {
        super(console);
    }

    @Override
    final Command command(FluxClient client) throws IOException {
        return command(TargetNames.spell(client, targets));
    }

    abstract Command command(String spelt);

    final @Nullable String words() {
        return ReasonWords.join(words);
    }

    final String cause() {
        String text = words();
        return text == null ? "" : text;
    }
}
