package io.muster.daemon.cli.query;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.ServerVerb;
import io.muster.daemon.cli.console.Standing;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster info}. */
@Command(name = "info", description = "Count nodes, cores and GPUs.")
public final class Counts extends ServerVerb {
    @Parameters(arity = "0..*", paramLabel = "TARGETS", description = "Only these: ranks, hosts, @PROPERTY.")
    private List<String> targets = List.of();

    @Option(
            names = {"-s", "--states", "--state"},
            paramLabel = "STATE,...",
            description = "free, allocated, down, up (both of the first) or all. Default: all.")
    private String states = "all";

    @Mixin
    private final Selection selection = new Selection();

    public Counts(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        List<String> wanted = Usage.states(states);
        Usage usage = Usage.ask(client);
        ResourceSet all = usage.all();
        Idset among = selection.among(client, all, targets);
        Idset ranks = states.equals("all") ? among : among.intersect(usage.in(wanted));
        long cores = all.count("core", ranks);
        long gpus = all.count("gpu", ranks);
        if (json()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("schema_version", Standing.SCHEMA_VERSION).put("nnodes", ranks.size());
            console().json(json.put("ncores", cores).put("ngpus", gpus));
        } else {
            console().println(ranks.size() + " Nodes, " + cores + " Cores, " + gpus + " GPUs");
        }
        return Exit.OK;
    }
}
