package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster R union}. */
@Command(name = "union", description = "Put sets together, overlapping or not.")
public final class Union extends SetVerb {
    public Union(Console console) {
        super(console);
    }

    @Override
    int run() throws IOException {
        ResourceSet result = null;
        for (ResourceSet set : read(1)) {
            result = result == null ? set : result.union(set);
        }
        return print(result == null ? ResourceSet.EMPTY : result);
    }
}
