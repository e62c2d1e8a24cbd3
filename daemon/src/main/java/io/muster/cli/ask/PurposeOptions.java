package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.axis.Purpose;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the class and the ticket: of a hold that is placed, or of the holds that are listed. */
public final class PurposeOptions {
    @Option(
            names = "--class",
            paramLabel = "CLASS",
            description = "Class of the hold, such as hardware; in a list, only hosts with a hold of this class.")
    private @Nullable String category;

    @Option(
            names = "--ticket",
            paramLabel = "TICKET",
            description = "Ticket of the hold, such as OPS-881; in a list, only hosts with a hold for this ticket.")
    private @Nullable String ticket;

    /** @throws Failure if a word is empty: a script may have a variable that is not set */
    public Purpose purpose() {
        return Purpose.of(word("--class", category), word("--ticket", ticket));
    }

    private static String word(String option, @Nullable String given) {
        if (given != null && given.isBlank()) {
            throw new Failure(Exit.USAGE, option + " is empty", "leave " + option + " out");
        }
        return given == null ? "" : given;
    }

    /** Adds to a question which holds are asked for. */
    public ObjectNode ask(ObjectNode question) {
        purpose().words().forEach(question::put);
        return question;
    }
}
