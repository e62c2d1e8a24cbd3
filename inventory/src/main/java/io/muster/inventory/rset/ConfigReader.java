package io.muster.inventory.rset;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Problems;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds a resource set from {@code [[resource.config]]} entries, as described in flux-config-resource(5). */
final class ConfigReader {
    private static final String PLACE = "resource.config";

    private final Problems problems;
    private final Map<String, Idset> properties = new LinkedHashMap<>();
    private Hostlist hosts = Hostlist.EMPTY;
    private IdMap<Contents> layout = IdMap.empty();

    ConfigReader(Problems problems) {
        this.problems = problems;
    }

    @Nullable
    ResourceSet read(List<ConfigEntry> entries) {
        entries.forEach(this::entry);
        RankContents.Builder result = new RankContents.Builder();
        layout.groups().forEach((contents, ranks) -> result.add(ranks, contents));
        if (problems.isEmpty()) {
            checkComplete();
        }
        if (!problems.isEmpty()) {
            return null;
        }
        RankContents built = result.build();
        return new ResourceSet(built, new RankHosts(built.ranks(), hosts), PropertyMap.of(properties), Envelope.EMPTY);
    }

    /**
     * Checks that there are hosts and that each has resources. The method is called only if all entries could be read;
     * otherwise a host might lack resources only because its entry could not be read.
     */
    private void checkComplete() {
        if (hosts.isEmpty()) {
            problems.add(PLACE, "no hosts configured");
        }
        Idset bare = layout.groups().getOrDefault(Contents.EMPTY, Idset.EMPTY);
        if (!bare.isEmpty()) {
            problems.add(PLACE, hosts.select(bare) + " assigned no resources");
        }
    }

    private void entry(ConfigEntry entry) {
        Idset ranks = ranksOf(entry.hosts());
        Contents added = Contents.of(Map.of(Contents.CORE, entry.cores(), Contents.GPU, entry.gpus()), Map.of());
        refuseOverlap(entry.place(), ranks, added);
        layout = layout.update(ranks, earlier -> earlier == null ? added : earlier.union(added));
        entry.properties().forEach(name -> property(entry.place(), name, ranks));
    }

    /** Refuses resources that an earlier entry already has, as flux-core does, because one of the two entries is a mistake. */
    private void refuseOverlap(String place, Idset ranks, Contents added) {
        RankContents.Builder twice = new RankContents.Builder();
        layout.forEachIn(
                ranks,
                (first, last, earlier) -> twice.addUnlessEmpty(Idset.range(first, last), earlier.intersect(added)));
        twice.build()
                .groups()
                .forEach(group -> group.children()
                        .forEach((type, ids) -> problems.add(
                                place + "/" + type + "s",
                                type + Group.bracketed(ids) + " of " + hosts.select(group.ranks())
                                        + " is in an earlier entry already")));
    }

    private void property(String place, String name, Idset ranks) {
        String objection = PropertyMap.objection(name);
        if (objection != null) {
            problems.add(place + "/properties", objection);
        }
        properties.merge(name, ranks, Idset::union);
    }

    private Idset ranksOf(Hostlist named) {
        Hostlist added = hosts.missing(named);
        boolean repeats = added.unique().size() < added.size();
        hosts = hosts.append(repeats ? Hostlist.of(List.copyOf(new LinkedHashSet<>(added.expand()))) : added);
        return hosts.indexesOf(named);
    }
}
