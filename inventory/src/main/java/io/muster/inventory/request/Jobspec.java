package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A job specification (RFC 14, RFC 25) that obeys the rules of one {@link Level}. */
public final class Jobspec {
    /**
     * The version that Muster writes into a jobspec whose resources version 1 does not allow. Fluxion accepts every version
     * up to this one.
     */
    public static final int CANONICAL_VERSION = 9999;

    /** The rules that a jobspec must obey. */
    public enum Level {
        /** The rules of RFC 25, both of its text and of its schema. */
        V1,
        /** The rules of RFC 14, for any version that the jobspec states. */
        CANONICAL
    }

    private final List<Resource> resources;
    private final ObjectNode document;
    private final Constraint constraint;
    private final List<Problem> notes;

    Jobspec(List<Resource> resources, ObjectNode document, Constraint constraint, List<Problem> notes) {
        this.resources = List.copyOf(resources);
        this.document = document;
        this.constraint = constraint;
        this.notes = List.copyOf(notes);
    }

    /**
     * Reads a jobspec in YAML or JSON.
     *
     * @throws InvalidException with every problem, each at its JSON pointer and, in YAML, its line
     */
    public static Jobspec parse(String text, Level level) {
        return read(RequestTree.parse("jobspec", text), level);
    }

    /**
     * Reads a jobspec.
     *
     * @throws InvalidException with every problem, each at its JSON pointer
     */
    public static Jobspec parse(JsonNode root, Level level) {
        return read(RequestTree.of(root), level);
    }

    private static Jobspec read(RequestTree document, Level level) {
        Problems problems = new Problems();
        @Nullable Jobspec jobspec = new JobspecReader(document, level, problems).read();
        problems.throwIfAny("jobspec");
        if (jobspec == null) {
            throw new IllegalStateException("a jobspec was refused without a reason");
        }
        return jobspec;
    }

    /**
     * Returns a jobspec that runs {@code command} once in each slot of {@code resources}. The version is 1 if RFC 25 allows the
     * resources.
     *
     * @param duration in seconds, 0 for no limit
     * @throws InvalidException if the resources contain no slot
     */
    public static Jobspec of(List<Resource> resources, List<String> command, double duration) {
        List<String> labels = resources.stream().flatMap(Jobspec::slotLabels).toList();
        ObjectNode root = JsonNodeFactory.instance.objectNode().put("version", 1);
        root.set("resources", Resource.toJson(resources));
        for (String label : labels) {
            ObjectNode task = root.withArray("tasks").addObject();
            command.forEach(task.putArray("command")::add);
            task.put("slot", label).putObject("count").put("per_slot", 1);
        }
        root.putObject("attributes").putObject("system").put("duration", duration);
        if (new JobspecReader(RequestTree.of(root), Level.V1, new Problems()).read() == null) {
            root.put("version", CANONICAL_VERSION);
        }
        return parse(root, Level.CANONICAL);
    }

    private static Stream<String> slotLabels(Resource resource) {
        String label = resource.label();
        return resource.isSlot() && label != null
                ? Stream.of(label)
                : resource.with().stream().flatMap(Jobspec::slotLabels);
    }

    public int version() {
        return document.path("version").intValue();
    }

    public List<Resource> resources() {
        return resources;
    }

    /** Returns the duration in seconds; 0 if none is given or there is no limit. */
    public double duration() {
        return system().path("duration").asDouble(0);
    }

    /** Returns the constraint, or {@link Constraint#all()} if none is given. */
    public Constraint constraint() {
        return constraint;
    }

    /** Returns the object {@code attributes.system}, or an empty object if there is none. */
    public ObjectNode system() {
        return document.path("attributes").path("system") instanceof ObjectNode system
                ? system.deepCopy()
                : JsonNodeFactory.instance.objectNode();
    }

    /** Returns the warnings: what was accepted although the specification demands something else. */
    public List<Problem> notes() {
        return notes;
    }

    /** Returns the document as it was read, including unknown keys. */
    public ObjectNode toJson() {
        return document.deepCopy();
    }

    /** Returns the request to {@link Feasibility} that asks whether this job could run. */
    public JobRequest request() {
        return new JobRequest(resources, constraint, duration());
    }

    static final Set<String> KEYS = Set.of("version", "resources", "tasks", "attributes");
}
