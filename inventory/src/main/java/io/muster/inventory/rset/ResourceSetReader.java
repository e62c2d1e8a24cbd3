package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads R version 1 (RFC 20) and collects all faults in it. */
final class ResourceSetReader {
    private static final String EXECUTION = "/execution";
    private static final Set<String> EXECUTION_KEYS =
            Set.of("R_lite", "nodelist", "properties", "starttime", "expiration");
    private static final Set<String> TOP_KEYS = Set.of("version", "execution", ResourceSet.SCHEDULING);

    private final Problems problems;

    private ResourceSetReader(Problems problems) {
        this.problems = problems;
    }

    /** Returns what {@code reader} reads, or throws an exception with every problem that {@code reader} has found. */
    static ResourceSet require(Function<Problems, @Nullable ResourceSet> reader) {
        Problems problems = new Problems();
        ResourceSet set = reader.apply(problems);
        problems.throwIfAny("R");
        return Objects.requireNonNull(set, "R was refused without a problem");
    }

    /** Returns the set, or null if {@code problems} has errors. The set refers to parts of the tree {@code r}. */
    static @Nullable ResourceSet read(@Nullable JsonNode r, Problems problems) {
        if (r == null) {
            return null;
        }
        if (!(r instanceof ObjectNode object)) {
            problems.add("", "must be a JSON object, not " + StrictJson.kind(r));
            return null;
        }
        return new ResourceSetReader(problems).read(object);
    }

    private @Nullable ResourceSet read(ObjectNode r) {
        version(r.get("version"));
        JsonNode given = r.get(ResourceSet.SCHEDULING);
        RawJson scheduling = given == null ? null : RawJson.of(given);
        ObjectNode execution = execution(r, scheduling);
        if (execution == null) {
            return null;
        }
        RankContents layout = new RLiteReader(problems).read(execution.get("R_lite"));
        Hostlist hosts = nodelist(execution.get("nodelist"));
        if (layout != null && hosts != null && hosts.size() != layout.ranks().size()) {
            problems.add(
                    EXECUTION + "/nodelist",
                    RankHosts.counts(hosts.size(), layout.ranks().size()));
        }
        PropertyMap properties = properties(execution.get("properties"), layout);
        Envelope envelope = envelope(r, execution, scheduling);
        if (layout == null || hosts == null || !problems.isEmpty()) {
            return null;
        }
        return new ResourceSet(layout, new RankHosts(layout.ranks(), hosts), properties, envelope);
    }

    /**
     * Checks the version. The integer 1 is required, because jansson, and therefore every Flux program, distinguishes it
     * from 1.0.
     */
    private void version(@Nullable JsonNode version) {
        if (version == null) {
            problems.add("/version", "version is missing");
        } else if (!version.isIntegralNumber() || !version.canConvertToInt() || version.intValue() != 1) {
            // The message does not quote a string: the file may not be R, and the peer that sent the request may have
            // no right to read it.
            problems.add(
                    "/version",
                    "must be the integer 1, not " + (version.isNumber() ? version : StrictJson.kind(version)));
        }
    }

    /**
     * Returns {@code execution}. If it is missing, derives it from {@code scheduling}, because until 2023 RFC 20 allowed an
     * R with {@code scheduling} only.
     */
    private @Nullable ObjectNode execution(ObjectNode r, @Nullable RawJson scheduling) {
        JsonNode execution = r.get("execution");
        if (execution instanceof ObjectNode object) {
            return object;
        }
        if (execution != null) {
            problems.add(EXECUTION, "must be an object, not " + StrictJson.kind(execution));
        } else if (scheduling == null) {
            problems.add("", "has neither execution nor scheduling");
        } else {
            Problems found = new Problems();
            SchedulingGraph graph = SchedulingGraph.read(scheduling, found);
            found.errors().forEach(p -> problems.add("/scheduling" + p.place(), p.sentence()));
            if (graph != null) {
                return new GraphExecution(graph, problems).derive();
            }
            if (found.isEmpty()) {
                problems.add("/scheduling", "has no graph, so that execution cannot be derived from it");
            }
        }
        return null;
    }

    private @Nullable Hostlist nodelist(@Nullable JsonNode nodelist) {
        String place = EXECUTION + "/nodelist";
        if (nodelist == null || !nodelist.isArray()) {
            problems.add(
                    place,
                    nodelist == null ? "nodelist is missing" : "must be an array, not " + StrictJson.kind(nodelist));
            return null;
        }
        List<String> texts = new ArrayList<>(nodelist.size());
        for (int i = 0; i < nodelist.size(); i++) {
            JsonNode text = nodelist.get(i);
            if (text.isTextual()) {
                texts.add(text.textValue());
            } else {
                problems.add(place + "/" + i, "must be a hostlist string, not " + StrictJson.kind(text));
            }
        }
        return texts.size() == nodelist.size() ? hostlist(place, texts) : null;
    }

    private @Nullable Hostlist hostlist(String place, List<String> texts) {
        try {
            return Hostlist.parse(texts);
        } catch (MalformedException e) {
            problems.add(place + "/" + texts.indexOf(e.input()), Objects.requireNonNull(e.getMessage()));
            return null;
        }
    }

    private PropertyMap properties(@Nullable JsonNode properties, @Nullable RankContents layout) {
        String place = EXECUTION + "/properties";
        Map<String, Idset> byName = new LinkedHashMap<>();
        if (properties instanceof ObjectNode object) {
            object.properties()
                    .forEach(property -> byName.put(
                            property.getKey(), property(place, property.getKey(), property.getValue(), layout)));
        } else if (properties != null) {
            problems.add(place, "must be an object, not " + StrictJson.kind(properties));
        }
        return PropertyMap.of(byName);
    }

    private Idset property(String parent, String name, JsonNode value, @Nullable RankContents layout) {
        String place = Pointer.of(parent, name);
        String objection = PropertyMap.objection(name);
        if (objection != null) {
            problems.add(place, objection);
        }
        Idset ranks = RLiteReader.idset(parent, name, value, problems);
        if (ranks == null) {
            return Idset.EMPTY;
        }
        if (ranks.isEmpty()) {
            problems.warn(place, "is on no rank; it is dropped");
        }
        if (layout != null && !layout.ranks().containsAll(ranks)) {
            Idset unknown = ranks.subtract(layout.ranks());
            problems.add(place, (unknown.size() == 1 ? "rank " : "ranks ") + unknown + " not in R_lite");
        }
        return ranks;
    }

    private Envelope envelope(ObjectNode r, ObjectNode execution, @Nullable RawJson scheduling) {
        JsonNode starttime = seconds("starttime", execution.get("starttime"));
        JsonNode expiration = seconds("expiration", execution.get("expiration"));
        JsonNode slots = execution.get(Envelope.NSLOTS);
        if (slots != null && !slots.isIntegralNumber()) {
            problems.add(EXECUTION + "/nslots", "must be an integer, not " + StrictJson.kind(slots));
        }
        Envelope envelope =
                new Envelope(starttime, expiration, scheduling, rest(execution, EXECUTION_KEYS), rest(r, TOP_KEYS));
        double expires = envelope.expirationSeconds();
        if (expires > 0 && expires <= envelope.startSeconds()) {
            problems.add(
                    EXECUTION + "/expiration", "expiration " + expiration + " must be after starttime " + starttime);
        }
        return envelope;
    }

    private @Nullable JsonNode seconds(String key, @Nullable JsonNode value) {
        if (value == null || (value.isNumber() && Double.isFinite(value.doubleValue()))) {
            return value;
        }
        String found = value.isNumber() ? value.toString() : StrictJson.kind(value);
        problems.add(EXECUTION + "/" + key, "must be seconds since the epoch, not " + found);
        return null;
    }

    private static Map<String, JsonNode> rest(ObjectNode object, Set<String> known) {
        Map<String, JsonNode> rest = new LinkedHashMap<>();
        object.properties().forEach(member -> {
            if (!known.contains(member.getKey())) {
                rest.put(member.getKey(), member.getValue());
            }
        });
        return rest;
    }
}
