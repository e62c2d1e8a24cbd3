package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster R set-property}. */
@Command(name = "set-property", description = "Give ranks of a set properties.")
public final class SetProperty extends SetVerb {
    @Parameters(
            arity = "0..*",
            paramLabel = "NAME[:RANKS]",
            description = "A property, and the ranks that shall have it: without them, all.")
    private List<String> properties = List.of();

    public SetProperty(Console console) {
        super(console);
    }

    @Override
    int run() throws IOException {
        ResourceSet set = readUnion();
        for (String property : properties) {
            Map.Entry<String, Idset> named = property(property, set.ranks());
            set = set.replaceProperty(named.getKey(), named.getValue());
        }
        return print(set);
    }
}
