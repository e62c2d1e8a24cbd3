package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster R intersect}. */
@Command(
        name = "intersect",
        description = "Keep what all sets have.",
        footer = {"", "Properties are kept, unlike in flux R."})
public final class Intersect extends SetVerb {
    public Intersect(Console console) {
        super(console);
    }

    @Override
    int run() throws IOException {
        ResourceSet result = null;
        for (ResourceSet set : read(2)) {
            result = result == null ? set : result.intersect(set);
        }
        return print(result == null ? ResourceSet.EMPTY : result);
    }
}
