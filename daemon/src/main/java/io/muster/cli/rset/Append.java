package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster R append}. */
@Command(name = "append", description = "Put sets together that have nothing in common.")
public final class Append extends SetVerb {
    public Append(Console console) {
        super(console);
    }

    @Override
    int run() throws IOException {
        ResourceSet result = null;
        for (ResourceSet set : read(1)) {
            result = result == null ? set : result.append(set);
        }
        return print(result == null ? ResourceSet.EMPTY : result);
    }
}
