package io.muster.inventory.axis;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.json.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The places of vertices, in a form that stays valid when R renumbers its hosts.
 *
 * @param inside for each path below a node, such as {@code socket0/gpu3}, the ranks of the nodes whose vertex at this path is
 *     meant; the path "" is the node itself
 * @param outside absolute paths of vertices that belong to no rank: {@code /cluster0/rack1}, or {@code power:/power0/pdu3} in
 *     another subsystem than containment
 * @param departed for each path below a node, hosts that R no longer names
 */
public record Places(
        SortedTree<String, Idset> inside, SortedTree<String, Boolean> outside, SortedTree<String, Hostlist> departed) {
    public static final Places NONE = new Places(SortedTree.empty(), SortedTree.empty(), SortedTree.empty());

    private static final String VERTICES = "vertices";
    private static final String PATHS = "paths";
    private static final String AWAY = "departed-vertices";

    public Places within(String path, Idset ranks) {
        Idset all = inside.getOrDefault(path, Idset.EMPTY).union(ranks);
        return all.isEmpty() ? this : new Places(inside.with(path, all), outside, departed);
    }

    public Places at(String absolute) {
        return new Places(inside, outside.with(absolute, true), departed);
    }

    public Places away(String path, Hostlist hosts) {
        Hostlist all = departed.getOrDefault(path, Hostlist.EMPTY).append(hosts).unique();
        return all.isEmpty() ? this : new Places(inside, outside, departed.with(path, all));
    }

    /** Returns the union of several places. The list may have tens of thousands of elements. */
    public static Places all(List<Places> several) {
        SortedMap<String, Idset.Builder> ranks = new TreeMap<>();
        SortedMap<String, List<String>> hosts = new TreeMap<>();
        Places[] all = {NONE};
        for (Places each : several) {
            each.inside.forEach((path, some) ->
                    ranks.computeIfAbsent(path, p -> Idset.builder()).addAll(some));
            each.outside.keySet().forEach(path -> all[0] = all[0].at(path));
            each.departed.forEach((path, some) ->
                    hosts.computeIfAbsent(path, p -> new ArrayList<>()).addAll(some.expand()));
        }
        ranks.forEach((path, some) -> all[0] = all[0].within(path, some.build()));
        hosts.forEach((path, some) -> all[0] = all[0].away(path, Hostlist.of(some)));
        return all[0];
    }

    public boolean isEmpty() {
        return inside.isEmpty() && outside.isEmpty() && departed.isEmpty();
    }

    /** Returns the ranks of all paths together. */
    public Idset ranks() {
        Idset.Builder ranks = Idset.builder();
        inside.values().forEach(ranks::addAll);
        return ranks.build();
    }

    public Hostlist hosts() {
        Hostlist hosts = Hostlist.EMPTY;
        for (Hostlist each : departed.values()) {
            hosts = hosts.append(each);
        }
        return hosts.unique();
    }

    /** Returns the number of separate entries that a change of these places stores or removes. */
    public int count() {
        int count = outside.size();
        for (Idset ranks : inside.values()) {
            count += ranks.rangeCount();
        }
        for (Hostlist hosts : departed.values()) {
            count += hosts.size();
        }
        return count;
    }

    /** Reads what {@link #toJson} writes. */
    public static Places read(Fields in) {
        Places places = NONE;
        for (String path : in.has(VERTICES) ? in.object(VERTICES).names() : List.<String>of()) {
            places = places.within(path, in.object(VERTICES).parse(path, Idset::parse));
        }
        for (String path : in.textsOrNone(PATHS)) {
            places = places.at(path);
        }
        for (String path : in.has(AWAY) ? in.object(AWAY).names() : List.<String>of()) {
            places = places.away(path, in.object(AWAY).parse(path, Hostlist::parse));
        }
        return places;
    }

    /** Returns an object with the members {@code vertices}, {@code paths} and {@code departed-vertices}, as far as they are not empty. */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        put(json, VERTICES, inside);
        if (!outside.isEmpty()) {
            ArrayNode paths = json.putArray(PATHS);
            outside.keySet().forEach(paths::add);
        }
        put(json, AWAY, departed);
        return json;
    }

    private static void put(ObjectNode json, String key, Map<String, ?> members) {
        if (!members.isEmpty()) {
            ObjectNode object = json.putObject(key);
            members.forEach((path, value) -> object.put(path, value.toString()));
        }
    }
}
