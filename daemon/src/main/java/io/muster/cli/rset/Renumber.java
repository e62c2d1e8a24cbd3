package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code muster R remap}. */
@Command(name = "remap", description = "Renumber ranks from 0, and on each rank the cores.")
public final class Renumber extends SetVerb {
    public Renumber(Console console) {
        super(console);
    }

    @Override
    int run() throws IOException {
        return print(readUnion().remap());
    }
}
