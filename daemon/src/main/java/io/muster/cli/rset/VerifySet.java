package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.inventory.rset.Difference;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code muster R verify}. */
@Command(
        name = "verify",
        description = "Compare what a rank has, the second set, with what is expected of it, the first.",
        footer = {"", "What is missing gives status 1, what is extra is only said."})
public final class VerifySet extends SetVerb {
    public VerifySet(Console console) {
        super(console);
    }

    @Override
    int run() throws IOException {
        List<ResourceSet> sets = read(2);
        if (sets.size() > 2) {
            throw new IllegalArgumentException("standard input has " + sets.size() + " sets where two are compared");
        }
        boolean fatal = false;
        for (Difference difference : sets.get(0).verify(sets.get(1))) {
            console().complain(difference.toString());
            fatal |= difference.isFatal();
        }
        return fatal ? Exit.ERROR : Exit.OK;
    }
}
