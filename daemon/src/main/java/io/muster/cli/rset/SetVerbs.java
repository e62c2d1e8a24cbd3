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

    @Command(
            name = "append",
            description = "Print the union of sets that have no rank in common.",
            footer = {"  cat a.json b.json | muster R append", "  cat a.json b.json | muster R append > both.json"})
    public static final class Append extends SetVerb {
        public Append(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(combine(1, ResourceSet::append));
        }
    }

    @Command(
            name = "diff",
            description = "Print the first set without everything that the other sets have.",
            footer = {
                "  cat all.json some.json | muster R diff",
                "  cat all.json a.json b.json | muster R diff | muster R decode --short"
            })
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
            description = {"Print what all sets have in common.", "Properties are kept; flux R drops them."},
            footer = {
                "  cat a.json b.json | muster R intersect",
                "  cat a.json b.json | muster R intersect | muster R decode --short"
            })
    public static final class Intersect extends SetVerb {
        public Intersect(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(combine(2, ResourceSet::intersect));
        }
    }

    @Command(
            name = "union",
            description = "Print the union of sets, which may overlap.",
            footer = {"  cat a.json b.json | muster R union", "  cat a.json b.json | muster R union > both.json"})
    public static final class Union extends SetVerb {
        public Union(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(combine(1, ResourceSet::union));
        }
    }

    @Command(
            name = "remap",
            description = "Renumber ranks from 0, and the cores of each rank from 0.",
            footer = {"  muster R remap < R.json", "  muster R get @gpu | muster R remap"})
    public static final class Remap extends SetVerb {
        public Remap(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(readUnion().remap());
        }
    }

    @Command(
            name = "rerank",
            description = "Give each host the rank of its place in a list.",
            footer = {"  muster R rerank node[0-3] < R.json", "  muster R rerank node3,node[0-2] < R.json"})
    public static final class Rerank extends SetVerb {
        @Parameters(
                index = "0",
                paramLabel = "HOSTLIST",
                description = "Every host of the set once, in the order of the new ranks.")
        private String hosts = "";

        public Rerank(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            return print(readUnion().rerank(Hostlist.parse(hosts)));
        }
    }

    @Command(
            name = "set-property",
            description = "Give ranks of a set properties.",
            footer = {"  muster R set-property gpu:0-3 < R.json", "  muster R set-property batch debug:0 < R.json"})
    public static final class SetProperty extends SetVerb {
        @Parameters(
                arity = "0..*",
                paramLabel = "NAME[:RANKS]",
                description = "Give these ranks a property. Default: all ranks.")
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
            description = {
                "Compare the resources of a rank (the second set) with the expected resources (the first set).",
                "The exit status is 1 if a resource is missing. An extra resource is only reported."
            },
            footer = {
                "  cat expected.json found.json | muster R verify",
                "  (muster R get node7; muster R encode --local) | muster R verify"
            })
    public static final class Verify extends SetVerb {
        public Verify(Console console) {
            super(console);
        }

        @Override
        int run() throws IOException {
            List<ResourceSet> sets = read(2);
            if (sets.size() > 2) {
                throw new IllegalArgumentException(
                        "standard input has " + sets.size() + " sets, and verify compares two");
            }
            boolean fatal = false;
            for (Difference difference : sets.get(0).verify(sets.get(1))) {
                console().complain(difference.toString());
                fatal |= difference.isFatal();
            }
            return fatal ? Exit.ERROR : Exit.OK;
        }
    }

    @Command(
            name = "parse-config",
            description = "Print the R that the [resource] table of a configuration describes.",
            footer = {
                "  muster R parse-config /etc/muster/muster.toml",
                "  muster R parse-config /etc/flux/system/conf.d"
            })
    public static final class ParseConfig extends SetVerb {
        @Parameters(index = "0", paramLabel = "PATH", description = "TOML file, or directory of TOML files.")
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
