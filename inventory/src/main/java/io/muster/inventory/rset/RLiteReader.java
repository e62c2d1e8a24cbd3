package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads R_lite, the entries of R that give each rank its resources. The cost of an entry does not depend on the number of
 * its ranks, and equal contents are parsed only once.
 */
final class RLiteReader {
    private static final String PLACE = "/execution/R_lite";

    private final Problems problems;
    private final RankClaims claims = new RankClaims();
    private final Map<ObjectNode, Contents> understood = new HashMap<>();
    private final RankContents.Builder layout = new RankContents.Builder();
    private boolean broken;

    RLiteReader(Problems problems) {
        this.problems = problems;
    }

    /**
     * Returns the contents of all ranks, or null if the ranks are unknown because an entry is broken, or if a rank occurs
     * twice.
     */
    @Nullable
    RankContents read(@Nullable JsonNode entries) {
        if (entries == null || !entries.isArray()) {
            problems.add(
                    PLACE, entries == null ? "R_lite is missing" : "must be an array, not " + StrictJson.kind(entries));
            return null;
        }
        for (int i = 0; i < entries.size(); i++) {
            entry(i, entries.get(i));
        }
        boolean once = claims.settle(problems);
        return broken || !once ? null : layout.build();
    }

    private void entry(int index, JsonNode entry) {
        String place = PLACE + "/" + index;
        if (!(entry instanceof ObjectNode object)) {
            problems.add(place, "must be an object, not " + StrictJson.kind(entry));
            broken = true;
            return;
        }
        Idset ranks = idset(place, "rank", object.get("rank"), problems);
        Contents contents = contents(place, object);
        if (ranks == null) {
            broken = true;
            return;
        }
        if (ranks.isEmpty()) {
            problems.warn(place + "/rank", "names no rank; the entry is dropped");
        }
        claims.add(index, ranks);
        layout.add(ranks, contents);
    }

    private Contents contents(String place, ObjectNode entry) {
        ObjectNode beyondRank = entry.objectNode().setAll(entry);
        beyondRank.remove("rank");
        Contents known = understood.get(beyondRank);
        if (known != null) {
            return known;
        }
        Contents contents = understand(place + "/children", beyondRank);
        if (contents == null) {
            broken = true;
            return Contents.EMPTY;
        }
        understood.put(beyondRank, contents);
        return contents;
    }

    private @Nullable Contents understand(String place, ObjectNode beyondRank) {
        JsonNode children = beyondRank.get("children");
        if (!(children instanceof ObjectNode object)) {
            problems.add(
                    place,
                    children == null ? "children is missing" : "must be an object, not " + StrictJson.kind(children));
            return null;
        }
        Map<String, JsonNode> other = new LinkedHashMap<>();
        beyondRank.properties().forEach(key -> other.put(key.getKey(), key.getValue()));
        other.remove("children");
        Map<String, Idset> byType = children(place, object);
        return byType == null ? null : Contents.of(byType, other);
    }

    /**
     * Reads the children of an entry. Every child of any type must be an idset, because flux-core and Fluxion would otherwise
     * refuse the whole R.
     */
    private @Nullable Map<String, Idset> children(String place, ObjectNode children) {
        Map<String, Idset> byType = new LinkedHashMap<>();
        children.properties().forEach(child -> {
            Idset ids = idset(place, child.getKey(), child.getValue(), problems);
            if (ids != null) {
                byType.put(child.getKey(), ids);
            }
        });
        if (!children.has(Contents.CORE)) {
            problems.warn(place, "has no core; it is taken as no cores");
        }
        return byType.size() < children.size() ? null : byType;
    }

    /** Returns the idset in a member, or adds a problem and returns null. */
    static @Nullable Idset idset(String parent, String key, @Nullable JsonNode value, Problems problems) {
        String place = Pointer.of(parent, key);
        if (value == null || !value.isTextual()) {
            String found =
                    value == null ? key + " is missing" : "must be an idset string, not " + StrictJson.kind(value);
            problems.add(place, found);
            return null;
        }
        try {
            return Idset.parse(value.textValue());
        } catch (MalformedException e) {
            problems.add(place, Objects.requireNonNull(e.getMessage()));
            return null;
        }
    }

    /** Finds ranks that more than one entry of R_lite names. */
    private static final class RankClaims {
        private record Claim(int entry, Idset ranks) {}

        private final List<Claim> claims = new ArrayList<>();
        private final Idset.Builder all = Idset.builder();
        private long claimed;

        void add(int entry, Idset ranks) {
            claims.add(new Claim(entry, ranks));
            all.addAll(ranks);
            claimed += ranks.size();
        }

        /** Returns whether no rank is named twice; adds a problem for each rank that is. */
        boolean settle(Problems problems) {
            boolean once = all.build().size() == claimed;
            if (!once) {
                report(problems);
            }
            return once;
        }

        private void report(Problems problems) {
            IdMap<Integer> earlier = IdMap.empty();
            for (Claim claim : claims) {
                Map<Integer, Idset.Builder> twice = new TreeMap<>();
                earlier.forEachIn(
                        claim.ranks,
                        (first, last, entry) -> twice.computeIfAbsent(entry, e -> Idset.builder())
                                .addRange(first, last));
                twice.forEach((entry, ranks) -> problems.add(
                        PLACE + "/" + claim.entry + "/rank", sentence(ranks.build(), PLACE + "/" + entry)));
                earlier = earlier.put(claim.ranks, claim.entry);
            }
        }

        private static String sentence(Idset ranks, String where) {
            String subject = ranks.size() == 1 ? "rank " + ranks + " appears" : "ranks " + ranks + " appear";
            return subject + " twice (also in " + where + ")";
        }
    }
}
