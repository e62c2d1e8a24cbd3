package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Lifetime;
import io.muster.cli.ask.Overview;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code muster info}. */
@Command(
        name = "info",
        description = "Count nodes, cores and GPUs. Show when the resources start and expire, if R says when.",
        footer = {"  muster info", "  muster info --state=up", "  muster info --property=gpu"})
public final class InfoVerb extends UsageVerb {
    public InfoVerb(Console console) {
        super(console);
    }

    @Override
    int run(FluxClient client, Usage usage, List<String> states, Idset among) throws IOException {
        ResourceSet all = usage.all();
        Idset ranks = among.intersect(usage.in(states));
        Lifetime lifetime = Lifetime.of(all);
        long cores = all.count("core", ranks);
        long gpus = all.count("gpu", ranks);
        if (json()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("schema_version", Overview.SCHEMA_VERSION).put("nnodes", ranks.size());
            json.put("ncores", cores).put("ngpus", gpus);
            lifetime.writeTo(json);
            console().json(json);
        } else {
            console().println(ranks.size() + " Nodes, " + cores + " Cores, " + gpus + " GPUs");
            String times = lifetime.text(console().now(), console().zone());
            console().print(times.isEmpty() ? "" : times + "\n");
        }
        return Exit.OK;
    }
}
