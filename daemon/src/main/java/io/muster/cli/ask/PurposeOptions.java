package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Purpose;
import picocli.CommandLine.Option;

/** The options for the class and the ticket: of a hold that is placed, or of the holds that are listed. */
public final class PurposeOptions {
    @Option(
            names = "--class",
            paramLabel = "CLASS",
            description = "Class of the hold, such as hardware; in a list, only hosts with a hold of this class.")
    private String category = "";

    @Option(
            names = "--ticket",
            paramLabel = "TICKET",
            description = "Ticket of the hold, such as OPS-881; in a list, only hosts with a hold for this ticket.")
    private String ticket = "";

    public Purpose purpose() {
        return Purpose.of(category, ticket);
    }

    /** Adds to a question which holds are asked for. */
    public ObjectNode ask(ObjectNode question) {
        purpose().words().forEach(question::put);
        return question;
    }
}
