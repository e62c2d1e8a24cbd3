package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.problem.Problems;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Checks a jobspec and collects all faults in it. A reader serves one document. */
final class JobspecReader {
    private static final Set<String> TASK_KEYS = Set.of("command", "slot", "count");
    private static final Set<String> CANONICAL_TASK_KEYS = Set.of("attributes", "distribution");

    private final RequestTree document;
    private final Jobspec.Level level;
    private final Problems problems;

    /** The slots by label. A search through all resources for each task would take the square of the jobspec's length. */
    private final Map<String, Resource> slots = new HashMap<>();

    private final Map<String, Set<String>> types = new HashMap<>();

    JobspecReader(RequestTree document, Jobspec.Level level, Problems problems) {
        this.document = document;
        this.level = level;
        this.problems = problems;
    }

    /** Returns the jobspec, or null if a problem was found. */
    @Nullable
    Jobspec read() {
        if (!(document.root() instanceof ObjectNode root)) {
            add("", "must be a dictionary, not " + RequestTree.kind(document.root()));
            return null;
        }
        keys(root);
        version(root.get("version"));
        List<Resource> resources = resources(root.get("resources"));
        tasks(root.get("tasks"), resources);
        Constraint constraint = attributes(root.get("attributes"));
        return problems.isEmpty() ? new Jobspec(resources, root.deepCopy(), constraint, problems.warnings()) : null;
    }

    private void keys(ObjectNode root) {
        for (String key : List.of("version", "resources", "tasks", "attributes")) {
            if (!root.has(key)) {
                add("", key + " is missing");
            }
        }
        root.fieldNames().forEachRemaining(key -> {
            if (!Jobspec.KEYS.contains(key)) {
                note(Pointer.of("", key), "a jobspec has no such key");
            }
        });
    }

    private void version(@Nullable JsonNode version) {
        if (version == null) {
            return;
        }
        if (!version.isInt() || version.intValue() < 1) {
            add("/version", "must be a positive integer, not " + version);
        } else if (level != Jobspec.Level.CANONICAL && version.intValue() != 1) {
            add("/version", "must be 1, not " + version);
        }
    }

    private List<Resource> resources(@Nullable JsonNode list) {
        if (list == null) {
            return List.of();
        }
        List<Resource> resources = new ResourceReader(document, problems).list(list, "/resources");
        if (level != Jobspec.Level.CANONICAL && list.isArray()) {
            new V1Resources(document, problems).check(list);
        }
        return resources;
    }

    private void tasks(@Nullable JsonNode list, List<Resource> resources) {
        if (list == null) {
            return;
        }
        if (!list.isArray() || list.isEmpty()) {
            add("/tasks", "must be a list of at least one task");
            return;
        }
        if (level != Jobspec.Level.CANONICAL && list.size() != 1) {
            add("/tasks", "must list exactly one task, not " + list.size());
        }
        collectSlots(resources);
        for (int i = 0; i < list.size(); i++) {
            task(list.get(i), "/tasks/" + i, resources);
        }
    }

    private void task(JsonNode node, String at, List<Resource> resources) {
        if (!node.isObject()) {
            add(at, "a task must be a dictionary, not " + RequestTree.kind(node));
            return;
        }
        taskKeys(node, at);
        command(node.get("command"), at + "/command");
        String slot = slot(node.get("slot"), at + "/slot", resources);
        if (node.has("count")) {
            count(node.get("count"), at + "/count", resources, slot);
        }
    }

    private void taskKeys(JsonNode node, String at) {
        for (String key : List.of("command", "slot", "count")) {
            if (!node.has(key)) {
                add(at, key + " is missing");
            }
        }
        node.fieldNames().forEachRemaining(key -> {
            String place = Pointer.of(at, key);
            if (!TASK_KEYS.contains(key) && level == Jobspec.Level.V1) {
                add(place, "version 1 has no such task key");
            } else if (!TASK_KEYS.contains(key) && !CANONICAL_TASK_KEYS.contains(key)) {
                note(place, "a task has no such key");
            }
        });
    }

    private void command(@Nullable JsonNode node, String at) {
        if (node == null) {
            return;
        }
        if (node.isTextual() && level != Jobspec.Level.CANONICAL) {
            note(at, "RFC 25 means a list; its schema also accepts a string");
            return;
        }
        if (!node.isArray() || node.isEmpty()) {
            add(at, "must be a list of at least one string");
            return;
        }
        for (int i = 0; i < node.size(); i++) {
            string(node.get(i), at + "/" + i);
        }
    }

    private String slot(@Nullable JsonNode node, String at, List<Resource> resources) {
        if (node == null) {
            return "";
        }
        if (!node.isTextual()) {
            add(at, "must be a slot's label, not " + RequestTree.kind(node));
            return "";
        }
        String label = node.textValue();
        if (!slots.containsKey(label) && !resources.isEmpty()) {
            unknownSlot(at, "no slot has the label \"" + label + "\"");
        }
        return label;
    }

    /**
     * Reports a task that names a slot that does not exist: an error at level V1, otherwise a note. flux-core accepts such a jobspec, and
     * flux-core's own shape option creates some.
     */
    private void unknownSlot(String at, String sentence) {
        if (level == Jobspec.Level.V1) {
            add(at, sentence);
        } else {
            note(at, sentence);
        }
    }

    private void collectSlots(List<Resource> resources) {
        for (Resource resource : resources) {
            String label = resource.label();
            if (resource.isSlot() && label != null) {
                slots.putIfAbsent(label, resource);
            }
            collectSlots(resource.with());
        }
    }

    /** Returns the types of the resources of a slot. They are collected once, because many tasks may name the slot. */
    private Set<String> typesIn(String label) {
        return types.computeIfAbsent(label, name -> {
            Set<String> found = new HashSet<>();
            collectTypes(Objects.requireNonNull(slots.get(name)), found);
            return found;
        });
    }

    private static void collectTypes(Resource resource, Set<String> into) {
        into.add(resource.type());
        resource.with().forEach(inner -> collectTypes(inner, into));
    }

    private void count(JsonNode count, String at, List<Resource> resources, String slot) {
        if (!count.isObject() || count.size() != 1) {
            add(at, "must be a dictionary of exactly one of per_slot, per_resource and total");
            return;
        }
        String key = count.fieldNames().next();
        switch (key) {
            case "per_slot", "total" -> positive(count.get(key), at + "/" + key);
            case "per_resource" -> perResource(count.get(key), at + "/per_resource", slot);
            default -> add(Pointer.of(at, key), "expected per_slot, per_resource or total");
        }
        if (key.equals("per_slot")
                && level != Jobspec.Level.CANONICAL
                && count.get(key).asInt() > 1) {
            note(at + "/per_slot", "RFC 25 today allows 1 only");
        }
        if (key.equals("total") && level != Jobspec.Level.CANONICAL) {
            totalAgainstSlots(count.get(key), at + "/total", resources);
        }
    }

    private void totalAgainstSlots(JsonNode total, String at, List<Resource> resources) {
        long slots = resources.size() == 1 ? slots(resources.get(0)) : 0;
        if (slots > 0 && total.asLong() > slots) {
            note(at, "RFC 25 today allows no more tasks than slots, here " + slots);
        }
    }

    private static long slots(Resource resource) {
        long inner = resource.isSlot() || resource.with().isEmpty()
                ? 1
                : slots(resource.with().get(0));
        long count = resource.count().min();
        return inner > Count.MAX / count ? Count.MAX : inner * count;
    }

    private void perResource(JsonNode node, String at, String slot) {
        if (level != Jobspec.Level.CANONICAL) {
            add(at, "version 1 has per_slot and total only");
        } else if (!node.path("type").isTextual()) {
            add(at, "must have a type, a string, and a count");
        } else if (slots.containsKey(slot)
                && !typesIn(slot).contains(node.get("type").textValue())) {
            add(at + "/type", "the task's slot holds no \"" + node.get("type").textValue() + "\"");
        }
        if (node.isObject()) {
            positive(node.path("count"), at + "/count");
        }
    }

    private void positive(JsonNode node, String at) {
        if (!node.isIntegralNumber() || node.bigIntegerValue().signum() <= 0) {
            add(at, "must be a positive integer" + (node.isMissingNode() ? "" : ", not " + node));
        } else if (!node.canConvertToLong() || node.longValue() > Count.MAX) {
            add(at, node + " is above " + Count.MAX);
        }
    }

    private Constraint attributes(@Nullable JsonNode attributes) {
        if (attributes == null) {
            return Constraint.all();
        }
        if (!attributes.isObject()) {
            add("/attributes", "must be a dictionary, not " + RequestTree.kind(attributes));
            return Constraint.all();
        }
        attributes.properties().forEach(e -> {
            String at = Pointer.of("/attributes", e.getKey());
            if (!e.getKey().equals("system") && !e.getKey().equals("user")) {
                add(at, "attributes holds system and user only");
            } else if (!e.getValue().isObject()) {
                add(at, "must be a dictionary, not " + RequestTree.kind(e.getValue()));
            }
        });
        return system(attributes.path("system"));
    }

    private Constraint system(JsonNode system) {
        String at = "/attributes/system";
        duration(system, at);
        seconds(system, "preemptible-after", at);
        typed(system, "cwd", at, JsonNode::isTextual, "a string");
        typed(system, "queue", at, JsonNode::isTextual, "a string");
        environment(system, at);
        dependencies(system, at);
        return system.has("constraints")
                ? new ConstraintReader(document, problems).read(system.get("constraints"), at + "/constraints")
                : Constraint.all();
    }

    private void duration(JsonNode system, String at) {
        JsonNode duration = system.path("duration");
        if (duration.isMissingNode()) {
            if (level != Jobspec.Level.CANONICAL) {
                add(at, "duration is missing; version 1 must give it");
            }
        }
        seconds(system, "duration", at);
    }

    private void seconds(JsonNode system, String key, String at) {
        JsonNode seconds = system.path(key);
        boolean valid = seconds.isNumber() && seconds.doubleValue() >= 0 && !Double.isInfinite(seconds.doubleValue());
        if (!seconds.isMissingNode() && !valid) {
            add(at + "/" + key, "must be a number of seconds, 0 or more, not " + seconds);
        }
    }

    /** Checks that each variable is a string, or null, which removes the variable (RFC 14). */
    private void environment(JsonNode system, String at) {
        if (typed(system, "environment", at, JsonNode::isObject, "a dictionary")) {
            JsonNode environment = system.path("environment");
            String inside = at + "/environment";
            environment.properties().stream()
                    .filter(e -> !e.getValue().isNull())
                    .forEach(e -> string(e.getValue(), Pointer.of(inside, e.getKey())));
        }
    }

    /** Checks that each dependency has the two keys that RFC 26 requires. */
    private void dependencies(JsonNode system, String at) {
        if (!typed(system, "dependencies", at, JsonNode::isArray, "a list")) {
            return;
        }
        JsonNode list = system.path("dependencies");
        for (int i = 0; i < list.size(); i++) {
            String place = at + "/dependencies/" + i;
            JsonNode dependency = list.get(i);
            if (!dependency.isObject()) {
                add(place, "a dependency must be a dictionary, not " + RequestTree.kind(dependency));
                continue;
            }
            for (String key : List.of("scheme", "value")) {
                if (dependency.has(key)) {
                    string(dependency.get(key), place + "/" + key);
                } else {
                    add(place, key + " is missing");
                }
            }
        }
    }

    private void string(JsonNode value, String at) {
        if (!value.isTextual()) {
            add(at, "must be a string, not " + RequestTree.kind(value));
        }
    }

    /** Returns whether {@code key} has the right type or is absent. */
    private boolean typed(JsonNode system, String key, String at, Predicate<JsonNode> is, String what) {
        boolean valid = !system.has(key) || is.test(system.get(key));
        if (!valid) {
            add(at + "/" + key, "must be " + what + ", not " + RequestTree.kind(system.get(key)));
        }
        return valid;
    }

    private void add(String pointer, String sentence) {
        problems.add(document.place(pointer), sentence);
    }

    private void note(String pointer, String sentence) {
        problems.warn(document.place(pointer), sentence);
    }
}
