package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.SelectionOptions;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A verb that shows, by state, the resources that schedulers may use. */
abstract class UsageVerb extends ServerVerb {
    @Parameters(
            arity = "0..*",
            paramLabel = "TARGETS",
            description = "Select only these ranks, hosts or @PROPERTY. - reads them from standard input.")
    private List<String> targets = List.of();

    @Option(
            names = {"-s", "--states", "--state"},
            paramLabel = "STATE,...",
            description =
                    "Select only resources in these states: free, allocated, down, up (free and allocated) or all. "
                            + "Default: all.")
    private String states = "all";

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    UsageVerb(Console console) {
        super(console);
    }

    @Override
    protected final int run(FluxClient client) throws IOException {
        return run(client, selection.question(console(), targets).put("states", states));
    }

    /**
     * Runs the verb.
     *
     * @param question which resources are selected
     * @return the exit status
     */
    abstract int run(FluxClient client, ObjectNode question) throws IOException;

    /** Returns whether the user selected hosts, so that not all are shown. */
    final boolean isSelective() {
        return selection.isGiven() || !targets.isEmpty();
    }
}
