package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Difference;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The verbs of {@code muster R} that compute with sets and need few options. */
public final class SetVerbs {
    private SetVerbs() {}

    @Command(name = "append", description = "Put sets together that have nothing in common.")
    public static final class Append extends SetVerb {
        public Append(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(combine(1, ResourceSet::append));
        }
    }

    @Command(name = "diff", description = "Take from the first set all that the others have.")
    public static final class Diff extends SetVerb {
        public Diff(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(combine(2, ResourceSet::diff));
        }
    }

    @Command(
            name = "intersect",
            description = "Keep what all sets have.",
            footer = {"", "Properties are kept, unlike in flux R."})
    public static final class Intersect extends SetVerb {
        public Intersect(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(combine(2, ResourceSet::intersect));
        }
    }

    @Command(name = "union", description = "Put sets together, overlapping or not.")
    public static final class Union extends SetVerb {
        public Union(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(combine(1, ResourceSet::union));
        }
    }

    @Command(name = "remap", description = "Renumber ranks from 0, and on each rank the cores.")
    public static final class Remap extends SetVerb {
        public Remap(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(readUnion().remap());
        }
    }

    @Command(name = "rerank", description = "Give each host the rank of its place in a list.")
    public static final class Rerank extends SetVerb {
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

    @Command(name = "set-property", description = "Give ranks of a set properties.")
    public static final class SetProperty extends SetVerb {
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

    @Command(
            name = "verify",
            description = "Compare what a rank has, the second set, with what is expected of it, the first.",
            footer = {"", "What is missing gives status 1, what is extra is only said."})
    public static final class Verify extends SetVerb {
        public Verify(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            List<ResourceSet> sets = read(2);
            if (sets.size() > 2) {
                throw new IllegalArgumentException(
                        "standard input has " + sets.size() + " sets where two are compared");
            }
            boolean fatal = false;
            for (Difference difference : sets.get(0).verify(sets.get(1))) {
                console().complain(difference.toString());
                fatal |= difference.isFatal();
            }
            return fatal ? Exit.ERROR : Exit.OK;
        }
    }

    @Command(name = "parse-config", description = "Print the R that a configuration's [resource] means.")
    public static final class ParseConfig extends SetVerb {
        @Parameters(index = "0", paramLabel = "PATH", description = "TOML file, or a directory of them.")
        private Path path = Path.of("");

        public ParseConfig(Console console) {
            super(console);
        }

        @Override
        int run() {
            return print(Config.load(path, Environment.ofProcess()).resources().set());
        }
    }
}
