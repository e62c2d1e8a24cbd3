package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.Environment;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster R encode}. */
@Command(
        name = "encode",
        description = "Make a resource set in which all ranks are alike.",
        footer = {
            "  muster R encode --hosts=node[0-3] --cores=0-7 --gpus=0-1",
            "  muster R encode --local",
            "  muster R encode --ranks=0-3 --property=gpu:2-3"
        })
public final class Encode extends SetVerb {
    private final Environment environment;

    @Option(
            names = {"-r", "--ranks"},
            paramLabel = "IDSET",
            description = "The ranks. Default: one for each host, from 0; without hosts, rank 0.")
    private @Nullable String ranks;

    @Option(
            names = {"-c", "--cores"},
            paramLabel = "IDSET",
            description = "Cores of each rank. Default: core 0, unless there are GPUs.")
    private @Nullable String cores;

    @Option(
            names = {"-g", "--gpus"},
            paramLabel = "IDSET",
            description = "GPUs of each rank. Default: none.")
    private String gpus = "";

    @Option(
            names = {"-H", "--hosts"},
            paramLabel = "HOSTLIST",
            description = "The hosts, in the order of the ranks. Default: this host, for every rank.")
    private @Nullable String hosts;

    @Option(
            names = {"-p", "--property"},
            paramLabel = "NAME[:RANKS]",
            description = "Give these ranks a property. Default: all ranks. May be repeated.")
    private List<String> properties = List.of();

    @Option(
            names = {"-l", "--local"},
            description = "Use the cores of this host.")
    private boolean local;

    public Encode(Console console, Environment environment) {
        super(console);
        this.environment = environment;
    }

    @Override
    int run() {
        if (local && (cores != null || !gpus.isEmpty())) {
            throw new Failure(Exit.USAGE, "--local sets the cores: leave out --cores and --gpus");
        }
        Hostlist named = hosts == null ? Hostlist.EMPTY : Hostlist.parse(hosts);
        Idset members = members(named);
        Hostlist all = hosts == null ? thisHost(members.size()) : named;
        if (all.size() != members.size()) {
            throw new Failure(
                    Exit.USAGE,
                    "there are " + all.size() + " hosts in " + hosts + " and " + members.size() + " ranks in " + ranks);
        }
        return print(ResourceSet.of(all, members, cores(), idset("--gpus", gpus), properties(members)));
    }

    private Idset members(Hostlist named) {
        if (ranks != null) {
            return idset("--ranks", ranks);
        }
        if (hosts == null) {
            return Idset.of(0);
        }
        return named.isEmpty() ? Idset.EMPTY : Idset.range(0, named.size() - 1);
    }

    private Hostlist thisHost(int times) {
        return Hostlist.of(Collections.nCopies(times, environment.hostname()));
    }

    private Idset cores() {
        if (local) {
            return Idset.range(0, environment.cores() - 1);
        }
        return cores == null ? (gpus.isEmpty() ? Idset.of(0) : Idset.EMPTY) : idset("--cores", cores);
    }

    private SortedMap<String, Idset> properties(Idset members) {
        SortedMap<String, Idset> all = new TreeMap<>();
        for (String property : properties) {
            Map.Entry<String, Idset> named = property(property, members);
            all.put(named.getKey(), named.getValue());
        }
        return all;
    }
}
