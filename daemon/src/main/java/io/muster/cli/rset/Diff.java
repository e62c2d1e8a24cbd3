package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster R diff}. */
@Command(name = "diff", description = "Take from the first set all that the others have.")
public final class Diff extends SetVerb {
    public Diff(Console console) {
        super(console);
    }

    @Override
    int run() throws IOException {
        ResourceSet result = null;
        for (ResourceSet set : read(2)) {
            result = result == null ? set : result.diff(set);
        }
        return print(result == null ? ResourceSet.EMPTY : result);
    }
}
