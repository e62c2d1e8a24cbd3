package io.muster.daemon.cli.query;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.ServerVerb;
import io.muster.inventory.idset.Idset;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster R get}. */
@Command(
        name = "get",
        description = "Print the daemon's R, without what is excluded: what `flux resource R` prints.",
        footer = {"", "Without the graph that R may hold for Fluxion; `muster acquire --count 1` shows that too."})
public final class SetGet extends ServerVerb {
    @Parameters(arity = "0..*", paramLabel = "TARGETS", description = "Only these: ranks, hosts, @PROPERTY.")
    private List<String> targets = List.of();

    @Option(
            names = {"-s", "--states", "--state"},
            paramLabel = "STATE,...",
            description = "free, allocated, down, up (both of the first) or all. Default: all.")
    private String states = "all";

    @Mixin
    private final Selection selection = new Selection();

    public SetGet(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        List<String> wanted = Usage.states(states);
        Usage usage = Usage.ask(client);
        Idset ranks = selection.among(client, usage.all(), targets).intersect(usage.in(wanted));
        console().write(usage.all().keep(ranks).toBytes());
        console().print("\n");
        return Exit.OK;
    }
}
