package io.muster.cli.look;

import io.muster.cli.ask.SelectionOptions;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.inventory.idset.Idset;
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
        List<String> wanted = Usage.states(states);
        Usage usage = Usage.ask(client);
        return run(client, usage, wanted, selection.among(client, usage.all(), targets(client, targets)));
    }

    /**
     * Runs the verb.
     *
     * @param among the selected ranks, in any state
     * @return the exit status
     */
    abstract int run(FluxClient client, Usage usage, List<String> states, Idset among) throws IOException;

    /** Returns whether the user selected ranks, so that not all are shown. */
    final boolean isSelective() {
        return selection.isGiven() || !targets.isEmpty();
    }

    /** Returns the selected queues; empty for all. */
    final List<String> queues() {
        return selection.queues();
    }
}
