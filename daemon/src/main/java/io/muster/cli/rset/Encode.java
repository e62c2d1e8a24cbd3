package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Progress;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.SourceFile;
import io.muster.inventory.graph.Agreement;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TreePool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
        description =
                "Make a resource set. All ranks have the same cores and GPUs, or each has those in an XML file of hwloc.",
        footer = {
            "  muster R encode --hosts=node[0-3] --cores=0-7 --gpus=0-1",
            "  muster R encode --xml=node.xml --hosts=node[0-3] --topology",
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
            description = "Use the cores and GPUs of this host. GPUs need lstopo-no-graphics, of the package hwloc or "
                    + "hwloc-nox.")
    private boolean local;

    @Option(
            names = {"-f", "--xml"},
            paramLabel = "FILE",
            description = "Use the cores and GPUs in this XML of hwloc, as lstopo writes it, and without --hosts the "
                    + "name of the host in it. - reads standard input. If given once for each rank, the files are in the "
                    + "order of the ranks.")
    private List<String> xml = List.of();

    @Option(
            names = "--topology",
            description = "With --xml or --local, also describe sockets and NUMA domains in the key scheduling, for "
                    + "the scheduler TreePool (RFC 49).")
    private boolean topology;

    public Encode(Console console, Environment environment) {
        super(console);
        this.environment = environment;
    }

    @Override
    int run() throws IOException {
        boolean counted = cores != null || !gpus.isEmpty();
        if ((local || !xml.isEmpty()) && (counted || (local && !xml.isEmpty()))) {
            throw new Failure(
                    Exit.USAGE, "--local and --xml set the cores: give one of them, and leave out --cores and --gpus");
        }
        List<Hwloc> machines = machines();
        if (topology && machines.isEmpty()) {
            throw new Failure(Exit.USAGE, "--topology needs --xml, or --local and the program " + Lstopo.PROGRAM);
        }
        Hostlist named = hosts == null ? Hostlist.EMPTY : hostlist("--hosts", hosts);
        Idset members = members(named, machines);
        Hostlist all = hosts == null ? hosts(members.size(), machines) : named;
        if (all.size() != members.size()) {
            throw new Failure(
                    Exit.USAGE,
                    "there are " + all.size() + " hosts in " + hosts + " and " + members.size() + " ranks in " + ranks);
        }
        return print(
                machines.isEmpty()
                        ? ResourceSet.of(all, members, cores(), idset("--gpus", gpus), properties(members))
                        : set(all, members, machines));
    }

    /** Returns the machines of --xml, or of --local if hwloc can be asked. */
    private List<Hwloc> machines() throws IOException {
        List<Hwloc> machines = new ArrayList<>();
        try (Progress progress = new Progress(console(), "reading files of hwloc", xml.size())) {
            for (String file : xml) {
                machines.add(machine(file, content(file)));
                progress.at(machines.size());
            }
        }
        byte[] own = local ? Lstopo.ask(console().environment()) : null;
        if (own != null) {
            machines.add(machine(Lstopo.PROGRAM, own));
        }
        return machines;
    }

    private byte[] content(String file) {
        try {
            return file.equals("-") ? SourceFile.read(console().in()) : SourceFile.readAny(Path.of(file));
        } catch (IOException e) {
            throw new Failure(Exit.USAGE, file + ": " + SourceFile.reason(e));
        }
    }

    private Hwloc machine(String source, byte[] content) {
        try {
            Hwloc machine = Hwloc.read(content);
            // A bad name is refused here, where the file is known.
            return hosts == null && !machine.host().isEmpty()
                    ? machine.withHost(Hostlist.of(machine.host()).nth(0))
                    : machine;
        } catch (IllegalArgumentException e) {
            throw new Failure(Exit.ERROR, source + ": " + e.getMessage());
        }
    }

    private ResourceSet set(Hostlist all, Idset members, List<Hwloc> machines) {
        if (machines.size() > 1 && machines.size() != members.size()) {
            throw new Failure(
                    Exit.USAGE,
                    "there are " + machines.size() + " files for " + members.size() + " ranks; give one"
                            + " file for all ranks, or one for each");
        }
        Map<Hwloc, Idset> likes = new LinkedHashMap<>();
        for (int i = 0; i < machines.size(); i++) {
            Idset of = machines.size() == 1 ? members : Idset.of(members.nth(i));
            Hwloc nameless = machines.get(i).withHost("");
            likes.merge(nameless, of, Idset::union);
        }
        ResourceSet set = ResourceSet.of(all, members, Idset.EMPTY, Idset.EMPTY, properties(members));
        List<TreePool.Entry> entries = new ArrayList<>();
        for (Map.Entry<Hwloc, Idset> like : likes.entrySet()) {
            Hwloc machine = like.getKey();
            Hostlist some = set.hostsOf(like.getValue());
            set = set.union(ResourceSet.of(some, like.getValue(), machine.cores(), machine.gpus(), Map.of()));
            entries.add(new TreePool.Entry(like.getValue(), machine.topo()));
        }
        return topology ? Agreement.require(set.withScheduling(new TreePool(entries).toJson())) : set;
    }

    private Idset members(Hostlist named, List<Hwloc> machines) {
        if (ranks != null) {
            return idset("--ranks", ranks);
        }
        int count = hosts == null ? Math.max(1, machines.size()) : named.size();
        return count == 0 ? Idset.EMPTY : Idset.range(0, count - 1);
    }

    /** Returns the hosts of the machines, or this host if a machine does not name its host. */
    private Hostlist hosts(int count, List<Hwloc> machines) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = machines.isEmpty()
                    ? ""
                    : machines.get(Math.min(i, machines.size() - 1)).host();
            names.add(name.isEmpty() ? environment.hostname() : name);
        }
        return Hostlist.of(names);
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
