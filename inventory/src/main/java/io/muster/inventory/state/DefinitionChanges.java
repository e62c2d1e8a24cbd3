package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The commands that change R itself, and the events that they lead to. */
public final class DefinitionChanges {
    private DefinitionChanges() {}

    /**
     * The command that replaces R and, at the same time, the exclusions by the configuration, so that no scheduler is
     * offered an excluded host in between.
     *
     * @param method RFC 44's word for the source of R
     * @param exclusions null to keep the current exclusions, which follow their hosts to their new ranks
     */
    public record Define(
            ResourceSet resources,
            String method,
            Liveness.Status initial,
            MembershipChanges.@Nullable ExcludeByConfig exclusions)
            implements Command {
        public Define(ResourceSet resources, String method, Liveness.Status initial) {
            this(resources, method, initial, null);
        }

        public Define with(ResourceSet other) {
            return new Define(other, method, initial, exclusions);
        }

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            List<Event> events = new ArrayList<>();
            if (!resources.equals(state.definition().base())) {
                events.add(new Defined(method, resources, initial));
            }
            if (exclusions != null) {
                InventoryState defined = events.isEmpty() ? state : state.apply(events.get(0), now, by);
                events.addAll(exclusions.decide(defined, now, by).events());
            }
            return new Decision(events, null);
        }
    }

    /**
     * The event of RFC 44 {@code resource-define}. It contains R itself, because the state must be recoverable from the
     * journal alone.
     *
     * @param initial liveness of new hosts
     */
    public record Defined(String method, ResourceSet resources, Liveness.Status initial) implements Event {
        public static final String NAME = "resource-define";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeSummary(out);
            out.writeFieldName("R");
            StrictJson.write(resources.toSharedJson(), out);
        }

        @Override
        public void writeSummary(JsonGenerator out) throws IOException {
            out.writeStringField("method", method);
            out.writeStringField("initial", initial.word());
        }

        @Override
        public @Nullable String faultIn(InventoryState state) {
            return null;
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.redefine(resources, method, new LivenessState(initial, time, LivenessState.DEFINED));
        }
    }

    public record SetExpiration(double expiration) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            if (!(expiration >= 0 && expiration <= Epoch.LAST)) {
                return Decision.reject(
                        INVALID, "expiration must be 0 (never) or seconds since the epoch, before the year 10000");
            }
            double wanted = Epoch.rounded(expiration);
            String fault = Definition.expirationFault(state.resources(), wanted);
            if (fault != null) {
                return Decision.reject(INVALID, fault);
            }
            return wanted == state.resources().expiration()
                    ? Decision.accept()
                    : Decision.accept(new ExpirationChanged(wanted));
        }
    }

    /** The event of RFC 44 {@code resource-update}. */
    public record ExpirationChanged(double expiration) implements Event {
        @Override
        public String name() {
            return "resource-update";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            Epoch.write(out, "expiration", expiration);
        }

        @Override
        public @Nullable String faultIn(InventoryState state) {
            return Definition.expirationFault(state.resources(), expiration);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withDefinition(d -> d.withExpiration(expiration));
        }
    }

    /**
     * The command that adds or removes properties.
     *
     * @param properties targets by name of the property
     * @param configured the properties of queues whose hosts the configuration names
     */
    public record ChangeProperties(boolean add, SortedMap<String, String> properties, Set<String> configured)
            implements Command {
        /** The highest number of properties that one request may name. */
        static final int MOST_IN_REQUEST = 1000;

        /** The highest number of properties up to which requests may add properties that no rank has yet. */
        static final int MOST = 1 << 14;

        public ChangeProperties(boolean add, SortedMap<String, String> properties) {
            this(add, properties, Set.of());
        }

        /** Returns the command with the properties that only the configuration changes. */
        public ChangeProperties except(Set<String> ofConfiguration) {
            return new ChangeProperties(add, properties, ofConfiguration);
        }

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            for (String name : properties.keySet()) {
                if (configured.contains(name)) {
                    String queue = name.substring(ResourceSet.INSTANCE_LOCAL.length());
                    return Decision.reject(
                            INVALID,
                            "the configuration says which hosts have the property " + name + ": change queues." + queue
                                    + ".hosts there, and reload it");
                }
            }
            String excess = excess(state.resources().properties());
            return excess == null ? change(state) : Decision.reject(INVALID, excess);
        }

        private @Nullable String excess(Map<String, Idset> present) {
            if (properties.size() > MOST_IN_REQUEST) {
                return "the request names " + properties.size() + " properties, but one request may name at most "
                        + MOST_IN_REQUEST + ": send several requests";
            }
            long fresh = properties.keySet().stream()
                    .filter(name -> add && !present.containsKey(name))
                    .count();
            return fresh == 0 || present.size() + fresh <= MOST
                    ? null
                    : "with " + fresh + " more, there would be " + (present.size() + fresh)
                            + " properties, but requests may add properties only up to " + MOST
                            + ": remove properties that nobody needs";
        }

        private Decision change(InventoryState state) {
            SortedMap<String, Idset> changes = new TreeMap<>();
            int[] ranges = {0};
            for (Map.Entry<String, String> property : properties.entrySet()) {
                String name = property.getKey();
                String fault = add ? ResourceSet.propertyNameFault(name) : null;
                if (fault != null) {
                    return Decision.reject(INVALID, fault);
                }
                Decision resolved = Targets.resolve(state, property.getValue(), null, ranks -> {
                    Idset has = state.resources().properties().getOrDefault(name, Idset.EMPTY);
                    Idset change = add ? ranks.subtract(has) : ranks.intersect(has);
                    if (!change.isEmpty()) {
                        changes.put(name, change);
                        ranges[0] += change.rangeCount();
                        Targets.bound(ranges[0], Targets.RANGES);
                    }
                    return Decision.accept();
                });
                if (resolved.rejection() != null) {
                    return resolved;
                }
            }
            return changes.isEmpty() ? Decision.accept() : Decision.accept(new PropertiesChanged(add, changes));
        }
    }

    /**
     * The event for RFC 28's {@code property-add} and {@code property-remove}, which RFC 44 does not have.
     *
     * @param properties ranks by name of the property, in the order of the names
     */
    public record PropertiesChanged(boolean add, Map<String, Idset> properties) implements Event {
        @Override
        public String name() {
            return add ? "property-add" : "property-remove";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            out.writeObjectFieldStart("properties");
            for (Map.Entry<String, Idset> property : properties.entrySet()) {
                out.writeStringField(property.getKey(), property.getValue().toString());
            }
            out.writeEndObject();
        }

        @Override
        public @Nullable String faultIn(InventoryState state) {
            for (Map.Entry<String, Idset> property : properties.entrySet()) {
                String illegal = add ? ResourceSet.propertyNameFault(property.getKey()) : null;
                String fault = illegal == null ? Event.Targets.strangers(state, property.getValue()) : illegal;
                if (fault != null) {
                    return fault;
                }
            }
            return null;
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withDefinition(d -> add ? d.withProperties(properties) : d.withoutProperties(properties));
        }
    }

    public record Restart() implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Decision.accept(new Restarted(
                    Event.Targets.of(state, state.resources().ranks()),
                    state.liveness().online()));
        }
    }

    /**
     * The event of RFC 44 {@code restart}: the daemon started and restored a state with these ranks, of which these were
     * online.
     */
    public record Restarted(Event.Targets all, Idset online) implements Event {
        @Override
        public String name() {
            return "restart";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            out.writeStringField("ranks", all.ranks().toString());
            out.writeStringField("online", online.toString());
            out.writeStringField("nodelist", all.nodelist());
        }

        @Override
        public @Nullable String faultIn(InventoryState state) {
            return all.faultIn(state);
        }

        /** Every reporter has lost its connection to the daemon that ran before. */
        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withReports(reports -> reports.lapseAll(time));
        }
    }
}
