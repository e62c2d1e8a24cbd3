package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The topology within nodes that a {@code scheduling} by TreePool describes (RFC 49).
 *
 * @param entries kinds of node, with disjoint ranks
 */
public record TreePool(List<Entry> entries) {
    /** Ranks whose nodes have the same topology. */
    public record Entry(Idset ranks, Topo topo) {}

    static final String PLACE = "/scheduling/children";
    private static final String WRITER = "TreePool";
    private static final String CHILDREN = "children";
    private static final String RANKS = "ranks";

    public TreePool {
        entries = List.copyOf(entries);
    }

    /** Returns whether TreePool wrote {@code scheduling}. */
    public static boolean isWriterOf(@Nullable RawJson scheduling) {
        return scheduling != null
                && scheduling.outline().path("writer").asText().equals(WRITER);
    }

    /**
     * Reads the topology of {@code r}, with the ranks of {@code r}; the units that {@code r} does not have are still in it. Returns
     * null if R has none, or if it has faults, which are then in {@code problems}.
     */
    public static @Nullable TreePool read(ResourceSet r, Problems problems) {
        RawJson scheduling = r.scheduling();
        if (scheduling == null || !isWriterOf(scheduling)) {
            return null;
        }
        Problems found = new Problems();
        List<Entry> entries = new TopoReader(found).entries(scheduling.tree().path(CHILDREN));
        found.errors().forEach(p -> problems.add(p.place(), p.sentence()));
        if (!found.isEmpty()) {
            return null;
        }
        Idset given = ranks(entries.stream().map(Entry::ranks).toList());
        UnaryOperator<Idset> link = link(given, r.ranks());
        return new TreePool(entries.stream()
                .map(e -> new Entry(link.apply(e.ranks()), e.topo()))
                .toList());
    }

    /** Checks the topology of {@code r} and that it does not contradict R_lite; adds each fault to {@code problems}. */
    public static void check(ResourceSet r, Problems problems) {
        TreePool pool = read(r, problems);
        for (int i = 0; pool != null && i < pool.entries.size(); i++) {
            Entry entry = pool.entries.get(i);
            String place = PLACE + "/" + i;
            if (entry.ranks().isEmpty()) {
                problems.add(place + "/ranks", "R_lite has none of these ranks");
            }
            for (Group group : r.groups()) {
                Idset shared = group.ranks().intersect(entry.ranks());
                if (!shared.isEmpty()) {
                    check(place + "/topo", shared.first(), Contents.CORE, group, entry.topo(), problems);
                    check(place + "/topo", shared.first(), Contents.GPU, group, entry.topo(), problems);
                }
            }
        }
    }

    /**
     * Compares the units of one type. A topology may have more of them than R_lite, because the R of a job has the topology of
     * the whole node. It may have fewer, because levels without information are left out.
     */
    private static void check(String place, int rank, String type, Group group, Topo topo, Problems problems) {
        Idset listed = group.contents().ids(type);
        Idset described = topo.ids(type);
        Idset missing = listed.subtract(described);
        if (missing.isEmpty() || described.isEmpty()) {
            return;
        }
        String sentence = type + " " + missing + " of rank " + rank + " is in R_lite and not here";
        if (listed.containsAll(described)) {
            problems.warn(place, sentence);
        } else {
            problems.add(place, sentence + ", and " + described.subtract(listed) + " is here and not in R_lite");
        }
    }

    /**
     * Returns the function from ranks in {@code given} to those of {@code ranks} for which they stand. If the two sets have the
     * same size but are not equal, {@code given} has the ranks of an enclosing instance, and the sets are paired in order, as
     * RFC 49 requires.
     */
    private static UnaryOperator<Idset> link(Idset given, Idset ranks) {
        if (given.size() != ranks.size() || given.equals(ranks)) {
            return some -> some.intersect(ranks);
        }
        return some -> {
            Idset.Builder own = Idset.builder();
            some.forEach(rank -> own.add(ranks.nth(given.position(rank))));
            return own.build();
        };
    }

    private static Idset ranks(List<Idset> parts) {
        Idset.Builder all = Idset.builder();
        parts.forEach(all::addAll);
        return all.build();
    }

    /**
     * Returns {@code scheduling} of an R that has {@code ranks} after a change of these ranks. A value by TreePool gets the
     * changed ranks, without entries that have no ranks left; any other value stays unchanged.
     */
    static @Nullable RawJson mapRanks(@Nullable RawJson scheduling, Idset ranks, UnaryOperator<Idset> change) {
        if (scheduling == null || !isWriterOf(scheduling)) {
            return scheduling;
        }
        JsonNode tree = scheduling.tree();
        List<Idset> given = ranks(tree.path(CHILDREN));
        if (given == null) {
            return scheduling;
        }
        UnaryOperator<Idset> link = link(ranks(given), ranks);
        ArrayNode children = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < given.size(); i++) {
            Idset now = change.apply(link.apply(given.get(i)));
            if (!now.isEmpty()) {
                ObjectNode child = children.addObject();
                child.setAll((ObjectNode) tree.path(CHILDREN).get(i));
                child.put(RANKS, now.toString());
            }
        }
        ObjectNode changed = children.objectNode().setAll((ObjectNode) tree);
        changed.set(CHILDREN, children);
        RawJson mapped = RawJson.of(changed);
        return mapped.equals(scheduling) ? scheduling : mapped;
    }

    /** Returns the ranks of each entry, or null if some entry cannot be read. */
    private static @Nullable List<Idset> ranks(JsonNode children) {
        List<Idset> ranks = new ArrayList<>();
        for (JsonNode child : children) {
            try {
                ranks.add(Idset.parse(child.path(RANKS).asText("x")));
            } catch (MalformedException e) {
                return null;
            }
        }
        return children.isArray() ? ranks : null;
    }

    /**
     * Returns the {@code scheduling} of a combination of two sets: the first that is not null or, if TreePool wrote both, the
     * topologies of both.
     */
    static @Nullable RawJson joined(ResourceSet a, ResourceSet b) {
        RawJson mine = mapRanks(a.scheduling(), a.ranks(), ranks -> ranks);
        RawJson theirs = mapRanks(b.scheduling(), b.ranks(), ranks -> ranks.subtract(a.ranks()));
        if (mine != null && theirs != null && isWriterOf(mine) && isWriterOf(theirs)) {
            ArrayNode children = JsonNodeFactory.instance.arrayNode();
            ObjectNode both = (ObjectNode) mine.tree();
            both.path(CHILDREN).forEach(children::add);
            theirs.tree().path(CHILDREN).forEach(children::add);
            return RawJson.of(both.set(CHILDREN, children));
        }
        return mine == null ? theirs : mine;
    }

    /** Returns the value of {@code scheduling}. An entry without ranks is left out. */
    public ObjectNode toJson() {
        ObjectNode scheduling = JsonNodeFactory.instance.objectNode().put("writer", WRITER);
        ArrayNode children = scheduling.putArray(CHILDREN);
        entries.stream()
                .filter(e -> !e.ranks().isEmpty())
                .forEach(e -> children.addObject()
                        .put(RANKS, e.ranks().toString())
                        .set("topo", e.topo().toJson()));
        return scheduling;
    }
}
