package io.muster.cli.look;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code muster R get}. */
@Command(
        name = "get",
        description = {
            "Print the daemon's R without excluded hosts, as `flux resource R` does.",
            "An R of only some hosts leaves out properties that begin with +, which describe this instance (RFC "
                    + "20).",
            "This R has no graph for Fluxion; `muster acquire --count 1` shows R with its graph."
        },
        footer = {"  muster R get", "  muster R get --state=up @gpu", "  muster R get | muster R decode --short"})
public final class RGetVerb extends UsageVerb {
    public RGetVerb(Console console) {
        super(console);
    }

    @Override
    int run(FluxClient client, Usage usage, List<String> states, Idset among) throws IOException {
        ResourceSet all = usage.all();
        ResourceSet chosen = all.keep(among.intersect(usage.in(states)));
        boolean whole = chosen.ranks().equals(all.ranks());
        console().json((whole ? chosen : chosen.withoutInstanceLocalProperties()).toString());
        return Exit.OK;
    }
}
