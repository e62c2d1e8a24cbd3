package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.inventory.hostlist.Hostlist;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster R rerank}. */
@Command(name = "rerank", description = "Give each host the rank of its place in a list.")
public final class Rerank extends SetVerb {
    @Parameters(index = "0", paramLabel = "HOSTLIST", description = "Every host of the set once, rank 0 first.")
    private String hosts = "";

    public Rerank(Console console) {
        super(console);
    }

    @Override
    int run() throws IOException {
        return print(readUnion().rerank(Hostlist.parse(hosts)));
    }
}
