package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster R decode}. */
@Command(
        name = "decode",
        description = {
            "Print the union of the sets on standard input, or facts about it.",
            "Filters apply in the order -p, -i, -x. Ranks and properties that do not exist are ignored."
        },
        footer = {
            "  muster R decode --short < R.json",
            "  muster R decode --properties=gpu --nodelist < R.json",
            "  muster R decode --count=core < R.json"
        })
public final class Decode extends SetVerb {
    @Option(
            names = {"-s", "--short"},
            description = "Print the short form: rank[0-1]/core[0-3].")
    private boolean shortForm;

    @Option(
            names = {"-n", "--nodelist"},
            description = "Print the hosts.")
    private boolean nodelist;

    @Option(
            names = {"-r", "--ranks"},
            description = "Print the ranks.")
    private boolean ranks;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "TYPE",
            description = "Print the number of these: node (or ranks), core, gpu.")
    private @Nullable String count;

    @Option(
            names = {"-i", "--include"},
            paramLabel = "RANKS",
            description = "Keep only these ranks.")
    private @Nullable String include;

    @Option(
            names = {"-x", "--exclude"},
            paramLabel = "RANKS",
            description = "Remove these ranks.")
    private @Nullable String exclude;

    @Option(
            names = {"-p", "--properties"},
            paramLabel = "NAME,...",
            split = ",",
            hideParamSyntax = true,
            description =
                    "Keep only ranks that have all of these properties or host names; ^NAME keeps ranks that do not have "
                            + "it.")
    private List<String> properties = List.of();

    public Decode(Console console) {
        super(console);
    }

    @Override
    int run() throws IOException {
        ResourceSet set = filter(readUnion());
        if (shortForm) {
            console().println(set.shortForm());
        }
        if (nodelist) {
            console().println(set.hosts().toString());
        }
        if (ranks) {
            console().println(set.ranks().toString());
        }
        if (count != null) {
            boolean nodes = count.equals("node") || count.equals("ranks");
            console().println(Long.toString(nodes ? set.nodes() : set.count(count, set.ranks())));
        }
        return shortForm || nodelist || ranks || count != null ? Exit.OK : print(set);
    }

    private ResourceSet filter(ResourceSet all) {
        ResourceSet set = all;
        for (String property : properties) {
            boolean without = property.startsWith("^");
            Idset having = having(all, without ? property.substring(1) : property);
            set = without ? set.remove(having) : set.keep(having);
        }
        set = include == null ? set : set.keep(idset("--include", include));
        return exclude == null ? set : set.remove(idset("--exclude", exclude));
    }

    private static Idset having(ResourceSet set, String name) {
        return set.properties().getOrDefault(name, Idset.EMPTY).union(set.ranksOf(name));
    }
}
