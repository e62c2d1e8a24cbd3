package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads TreePool's description of nodes (RFC 49) and collects all faults in it. */
final class TopoReader {
    static final String CORES = "cores";
    static final String GPUS = "gpus";
    static final String MEMORY = "memory";
    static final String STORAGE = "storage";

    /** Real nodes have five levels and less than a thousand domains. */
    private static final int MAX_LEVELS = 20;

    private static final int MAX_DOMAINS = 10_000;

    /** Types that mean something else in a request, so that no level may have such a name. */
    private static final Set<String> TAKEN = Set.of("", "node", "slot", "core", "gpu", "cluster");

    private final Problems problems;
    private int domains;

    TopoReader(Problems problems) {
        this.problems = problems;
    }

    List<TreePool.Entry> entries(JsonNode children) {
        List<TreePool.Entry> entries = new ArrayList<>();
        if (!children.isMissingNode() && !children.isArray()) {
            problems.add(TreePool.PLACE, "must be an array, not " + StrictJson.kind(children));
        }
        Idset.Builder named = Idset.builder();
        for (int i = 0; children.isArray() && i < children.size(); i++) {
            String place = TreePool.PLACE + "/" + i;
            if (!(children.get(i) instanceof ObjectNode entry)) {
                problems.add(place, "must be an object, not " + StrictJson.kind(children.get(i)));
                continue;
            }
            unknown(place, entry, Set.of("ranks", "topo"));
            Idset ranks = RLiteReader.idset(place, "ranks", entry.get("ranks"), problems);
            domains = 0;
            Topo topo = topo(place + "/topo", "node", entry.path("topo"), 1);
            if (ranks != null) {
                Idset twice = ranks.intersect(named.build());
                if (ranks.isEmpty() || !twice.isEmpty()) {
                    String which = (twice.size() == 1 ? "rank " : "ranks ") + twice;
                    problems.add(place + "/ranks", ranks.isEmpty() ? "names no rank" : "an earlier entry has " + which);
                }
                named.addAll(ranks);
                entries.add(new TreePool.Entry(ranks, topo));
            }
        }
        return entries;
    }

    private void unknown(String place, ObjectNode object, Set<String> known) {
        object.fieldNames().forEachRemaining(key -> {
            if (!known.contains(key)) {
                problems.add(Pointer.of(place, key), "is not a key of RFC 49");
            }
        });
    }

    private Topo topo(String place, String type, JsonNode json, int level) {
        Parts parts = new Parts();
        if (!(json instanceof ObjectNode object)) {
            problems.add(place, "must be an object, not " + StrictJson.kind(json));
        } else if (level > MAX_LEVELS || ++domains > MAX_DOMAINS) {
            String limit = level > MAX_LEVELS ? MAX_LEVELS + " levels" : MAX_DOMAINS + " domains";
            problems.add(place, "is too much: a node may have " + limit);
        } else {
            object.properties().forEach(e -> parts.read(place, e.getKey(), e.getValue(), level));
        }
        return parts.topo(type);
    }

    /** The members of one domain. Units that are also in an inner domain are in that domain only. */
    private final class Parts {
        private Idset cores = Idset.EMPTY;
        private Idset gpus = Idset.EMPTY;
        private long memory;
        private final List<Topo.Storage> storage = new ArrayList<>();
        private final List<Topo> inner = new ArrayList<>();
        private Idset innerCores = Idset.EMPTY;
        private Idset innerGpus = Idset.EMPTY;

        void read(String parent, String key, JsonNode value, int level) {
            String place = Pointer.of(parent, key);
            switch (key) {
                case CORES -> cores = orNone(RLiteReader.idset(parent, key, value, problems));
                case GPUS -> gpus = orNone(RLiteReader.idset(parent, key, value, problems));
                case MEMORY -> memory = memory(place, value);
                case STORAGE -> storage(place, value);
                default -> domains(place, key, value, level);
            }
        }

        private Idset orNone(@Nullable Idset ids) {
            return ids == null ? Idset.EMPTY : ids;
        }

        private long memory(String place, JsonNode value) {
            boolean whole = value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= 0;
            if (!whole) {
                problems.add(place, "must be GiB as an integer of 0 or more, not " + shown(value));
            }
            return whole ? value.longValue() : 0;
        }

        private void domains(String place, String type, JsonNode list, int level) {
            if (TAKEN.contains(type) || !list.isArray()) {
                String sentence = TAKEN.contains(type)
                        ? "cannot be the name of a level"
                        : "must be an array of domains, not " + StrictJson.kind(list);
                problems.add(place, sentence);
                return;
            }
            for (int i = 0; i < list.size(); i++) {
                Topo domain = TopoReader.this.topo(place + "/" + i, type, list.get(i), level + 1);
                Idset domainCores = domain.ids(Contents.CORE);
                Idset domainGpus = domain.ids(Contents.GPU);
                twice(place + "/" + i, Contents.CORE, domainCores.intersect(innerCores));
                twice(place + "/" + i, Contents.GPU, domainGpus.intersect(innerGpus));
                innerCores = innerCores.union(domainCores);
                innerGpus = innerGpus.union(domainGpus);
                inner.add(domain);
            }
        }

        private void twice(String place, String type, Idset ids) {
            if (!ids.isEmpty()) {
                problems.add(place, "has " + type + " " + ids + ", which another domain beside it has");
            }
        }

        private void storage(String place, JsonNode list) {
            if (!list.isArray()) {
                problems.add(place, "must be an array, not " + StrictJson.kind(list));
            }
            for (int i = 0; list.isArray() && i < list.size(); i++) {
                String at = place + "/" + i;
                if (!(list.get(i) instanceof ObjectNode object)) {
                    problems.add(at, "must be an object, not " + StrictJson.kind(list.get(i)));
                    continue;
                }
                unknown(at, object, Set.of("path", "capacity", "unit"));
                JsonNode capacity = object.path("capacity");
                if (!capacity.isNumber() || capacity.decimalValue().signum() < 0) {
                    problems.add(at + "/capacity", "must be a number of 0 or more, not " + shown(capacity));
                }
                String path = text(at, object, "path", "");
                String unit = text(at, object, "unit", Topo.Storage.DEFAULT_UNIT);
                storage.add(new Topo.Storage(path, capacity.decimalValue(), unit));
            }
        }

        private String text(String parent, ObjectNode object, String key, String unset) {
            JsonNode value = object.path(key);
            boolean bad =
                    value.isMissingNode() ? unset.isEmpty() : value.asText().isEmpty() || !value.isTextual();
            if (bad) {
                problems.add(parent + "/" + key, "must be a non-empty string, not " + StrictJson.kind(value));
            }
            return value.asText(unset);
        }

        private String shown(JsonNode value) {
            return value.isNumber() ? value.toString() : StrictJson.kind(value);
        }

        Topo topo(String type) {
            return new Topo(type, cores.subtract(innerCores), gpus.subtract(innerGpus), memory, storage, inner);
        }
    }
}
