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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster info}. */
@Command(name = "info", description = "Count nodes, cores and GPUs.")
public final class Counts extends ServerVerb {
    @Parameters(arity = "0..1", paramLabel = "TARGETS", description = "Only these: an idset or a hostlist.")
    private @Nullable String targets;

    @Option(
            names = {"-s", "--states"},
            paramLabel = "STATE",
            description = "all, up, down, free or allocated. Default: all.")
    private String state = "all";

    @Mixin
    private final Selection selection = new Selection();

    public Counts(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        Usage usage = Usage.parse(client.rpc("resource.sched-status", null));
        ResourceSet all = usage.all();
        Idset among = selection.among(all, targets);
        Idset ranks = state.equals("all") ? among : among.intersect(usage.in(state));
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
