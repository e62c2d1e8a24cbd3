package io.muster.inventory.rset;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/** A resource set stored rank by rank in plain collections: slow, but simple enough to be a reference. */
record PerRank(
        NavigableMap<Integer, NavigableMap<String, Set<Integer>>> children,
        Map<Integer, String> hosts,
        Map<String, Set<Integer>> properties) {
    private static final String[] TYPES = {"core", "gpu", "memory"};
    private static final String[] PROPERTIES = {"batch", "debug", "+inst", "a@gpu"};

    static PerRank empty() {
        return new PerRank(new TreeMap<>(), new HashMap<>(), new TreeMap<>());
    }

    /** Returns a set over ranks below {@code bound}; the host of a rank is always the same unless {@code moved}. */
    static PerRank any(Random random, int bound, boolean moved) {
        PerRank set = empty();
        List<NavigableMap<String, Set<Integer>>> kinds = new ArrayList<>();
        for (int kind = 0; kind < 3; kind++) {
            kinds.add(anyChildren(random));
        }
        for (int rank = 0; rank < bound; rank++) {
            if (random.nextInt(3) > 0) {
                String host = "n" + (moved && random.nextInt(8) == 0 ? rank + bound : rank);
                set.put(rank, host, kinds.get(random.nextInt(kinds.size())));
            }
        }
        for (String name : PROPERTIES) {
            for (int rank : set.children.keySet()) {
                if (random.nextInt(3) == 0) {
                    set.properties.computeIfAbsent(name, n -> new TreeSet<>()).add(rank);
                }
            }
        }
        return set;
    }

    private static NavigableMap<String, Set<Integer>> anyChildren(Random random) {
        NavigableMap<String, Set<Integer>> children = new TreeMap<>();
        for (String type : TYPES) {
            Set<Integer> ids = new TreeSet<>();
            for (int id = 0; id < 6; id++) {
                if (random.nextInt(type.equals("core") ? 2 : 4) == 0) {
                    ids.add(id);
                }
            }
            children.put(type, ids);
        }
        return children;
    }

    static PerRank of(ResourceSet set) {
        PerRank result = empty();
        for (Group group : set.groups()) {
            group.ranks().forEach(rank -> {
                NavigableMap<String, Set<Integer>> own = new TreeMap<>();
                group.children().forEach((type, ids) -> own.put(type, plain(ids)));
                result.put(rank, set.hostOf(rank), own);
            });
        }
        set.properties().forEach((name, ranks) -> result.properties.put(name, plain(ranks)));
        return result;
    }

    private static Set<Integer> plain(Idset ids) {
        Set<Integer> plain = new TreeSet<>();
        ids.forEach(plain::add);
        return plain;
    }

    /** Sets the resources of a rank. Types without ids are absent, as in {@link Contents}. */
    void put(int rank, String host, NavigableMap<String, Set<Integer>> own) {
        NavigableMap<String, Set<Integer>> copy = new TreeMap<>();
        own.forEach((type, ids) -> {
            if (!ids.isEmpty()) {
                copy.put(type, new TreeSet<>(ids));
            }
        });
        children.put(rank, copy);
        hosts.put(rank, host);
    }

    boolean agrees(PerRank that) {
        return hosts.entrySet().stream()
                .allMatch(e -> that.hosts.getOrDefault(e.getKey(), e.getValue()).equals(e.getValue()));
    }

    boolean overlaps(PerRank that) {
        return children.keySet().stream()
                .filter(that.children::containsKey)
                .anyMatch(rank -> !combined(rank, that, (mine, theirs) -> mine.retainAll(theirs))
                        .isEmpty());
    }

    PerRank keep(IntPredicate kept) {
        PerRank result = empty();
        children.forEach((rank, own) -> {
            if (kept.test(rank)) {
                result.put(rank, host(rank), own);
            }
        });
        properties.forEach((name, ranks) -> result.addProperty(name, ranks));
        return result;
    }

    PerRank union(PerRank that) {
        PerRank result = empty();
        for (PerRank each : List.of(that, this)) {
            each.children.forEach((rank, own) -> result.put(rank, each.host(rank), own));
        }
        children.keySet().stream()
                .filter(that.children::containsKey)
                .forEach(rank ->
                        result.put(rank, host(rank), combined(rank, that, (mine, theirs) -> mine.addAll(theirs))));
        properties.forEach(result::addProperty);
        that.properties.forEach(result::addProperty);
        return result;
    }

    PerRank intersect(PerRank that) {
        PerRank result = empty();
        children.keySet().stream()
                .filter(that.children::containsKey)
                .forEach(rank -> result.putUnlessEmpty(
                        rank, host(rank), combined(rank, that, (mine, theirs) -> mine.retainAll(theirs))));
        properties.forEach(result::addProperty);
        that.properties.forEach(result::addProperty);
        return result;
    }

    PerRank diff(PerRank that) {
        PerRank result = empty();
        children.forEach((rank, own) -> {
            if (that.children.containsKey(rank)) {
                result.putUnlessEmpty(rank, host(rank), combined(rank, that, (mine, theirs) -> mine.removeAll(theirs)));
            } else {
                result.put(rank, host(rank), own);
            }
        });
        properties.forEach(result::addProperty);
        return result;
    }

    PerRank renamed(IntUnaryOperator renaming) {
        PerRank result = empty();
        children.forEach((rank, own) -> result.put(renaming.applyAsInt(rank), host(rank), own));
        properties.forEach((name, ranks) -> result.addProperty(
                name, new TreeSet<>(ranks.stream().map(renaming::applyAsInt).toList())));
        return result;
    }

    PerRank remap() {
        List<Integer> ranks = List.copyOf(children.keySet());
        PerRank result = renamed(ranks::indexOf);
        result.children
                .values()
                .forEach(own -> own.forEach((type, ids) -> {
                    if (!type.equals("gpu")) {
                        int count = ids.size();
                        ids.clear();
                        for (int id = 0; id < count; id++) {
                            ids.add(id);
                        }
                    }
                }));
        return result;
    }

    /** Returns R with one entry of R_lite for each rank, in any order, and one nodelist entry for each host. */
    String toR(Random random) {
        List<Integer> order = new ArrayList<>(children.keySet());
        Collections.shuffle(order, random);
        StringBuilder r = new StringBuilder("{\"version\":1,\"execution\":{\"nodelist\":[");
        String separator = "";
        for (int rank : children.keySet()) {
            r.append(separator).append('"').append(host(rank)).append('"');
            separator = ",";
        }
        r.append("],\"R_lite\":[");
        separator = "";
        for (int rank : order) {
            r.append(separator).append("{\"children\":").append(idsets(own(rank)));
            r.append(",\"rank\":\"").append(rank).append("\"}");
            separator = ",";
        }
        return r.append("],\"properties\":")
                .append(idsets(properties))
                .append("}}")
                .toString();
    }

    private static String idsets(Map<String, Set<Integer>> sets) {
        List<String> members = new ArrayList<>();
        sets.forEach((name, ids) -> members.add("\"" + name + "\":\""
                + Idset.of(ids.stream().mapToInt(Integer::intValue).toArray()) + "\""));
        return "{" + String.join(",", members) + "}";
    }

    Hostlist hostlist() {
        return Hostlist.of(children.keySet().stream().map(this::host).toList());
    }

    String host(int rank) {
        return String.valueOf(hosts.get(rank));
    }

    private NavigableMap<String, Set<Integer>> own(int rank) {
        return children.getOrDefault(rank, new TreeMap<>());
    }

    private interface Change {
        void apply(Set<Integer> mine, Set<Integer> theirs);
    }

    private NavigableMap<String, Set<Integer>> combined(int rank, PerRank that, Change change) {
        NavigableMap<String, Set<Integer>> result = new TreeMap<>();
        for (String type : TYPES) {
            Set<Integer> ids = new TreeSet<>(own(rank).getOrDefault(type, Set.of()));
            change.apply(ids, that.own(rank).getOrDefault(type, Set.of()));
            if (!ids.isEmpty()) {
                result.put(type, ids);
            }
        }
        return result;
    }

    private void putUnlessEmpty(int rank, String host, NavigableMap<String, Set<Integer>> own) {
        if (!own.isEmpty()) {
            put(rank, host, own);
        }
    }

    /** Adds a property to existing ranks only; a property without ranks is absent. */
    private void addProperty(String name, Set<Integer> ranks) {
        Set<Integer> present = new TreeSet<>(ranks);
        present.retainAll(children.keySet());
        if (!present.isEmpty()) {
            properties.computeIfAbsent(name, n -> new TreeSet<>()).addAll(present);
        }
    }
}
