package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A change of the inventory as it is journaled. Names and context keys are those of RFC 44;
 * {@code exclude, include, shrink, property-add} and {@code property-remove} are not in the RFC. Applying an event never fails,
 * because the command that led to the event has refused everything that could be wrong.
 */
public sealed interface Event {
    String name();

    /** Writes the members of the context without braces. */
    void writeContext(JsonGenerator out) throws IOException;

    /** Writes the context without members that may be as long as R. */
    default void writeSummary(JsonGenerator out) throws IOException {
        writeContext(out);
    }

    InventoryState applyTo(InventoryState state, double time, Principal by);

    /** Returns why this event cannot have happened to {@code state}, or null; always null if a command led to the event. */
    @Nullable
    String faultIn(InventoryState state);

    /** An event that has targets. */
    sealed interface Targeted extends Event {
        Targets targets();

        @Override
        default @Nullable String faultIn(InventoryState state) {
            return targets().faultIn(state);
        }
    }

    /**
     * The ranks that an event is about, with their host names, as in every event of RFC 44.
     *
     * @param nodelist the hosts of {@code ranks}, followed by {@code departed}
     * @param departed hosts without a rank, of which the event takes something back
     */
    record Targets(Idset ranks, String nodelist, Hostlist departed) {
        public Targets(Idset ranks, String nodelist) {
            this(ranks, nodelist, Hostlist.EMPTY);
        }

        static Targets of(InventoryState state, Idset ranks) {
            return of(state, ranks, Hostlist.EMPTY);
        }

        static Targets of(InventoryState state, Idset ranks, Hostlist departed) {
            Hostlist hosts = state.resources().hostsOf(ranks).append(departed);
            return new Targets(ranks, hosts.toString(), departed);
        }

        boolean isEmpty() {
            return ranks.isEmpty() && departed.isEmpty();
        }

        @Nullable
        String faultIn(InventoryState state) {
            boolean known = departed.stream().allMatch(host -> state.departed().containsKey(host));
            return known ? strangers(state, ranks) : "names a departed host that is not remembered: " + departed;
        }

        static @Nullable String strangers(InventoryState state, Idset ranks) {
            Idset known = state.resources().ranks();
            return known.containsAll(ranks) ? null : "names " + ranks.subtract(known) + ", which R does not have";
        }

        void write(JsonGenerator out) throws IOException {
            out.writeStringField("idset", ranks.toString());
            out.writeStringField("nodelist", nodelist);
            if (!departed.isEmpty()) {
                out.writeStringField("departed", departed.toString());
            }
        }
    }

    private static void writeReason(JsonGenerator out, @Nullable String reason) throws IOException {
        if (reason != null) {
            out.writeStringField("reason", reason);
        }
    }

    private static void writeMembership(
            JsonGenerator out, Targets targets, Membership.Kind kind, @Nullable String reason) throws IOException {
        targets.write(out);
        out.writeStringField("kind", kind.word());
        writeReason(out, reason);
    }

    private static void writeHold(
            JsonGenerator out, Targets targets, @Nullable String reason, Overwrite overwrite, String holder)
            throws IOException {
        targets.write(out);
        writeReason(out, reason);
        out.writeNumberField("overwrite", overwrite.number());
        out.writeStringField("holder", holder);
    }

    /** RFC 44 {@code restart}: the daemon started and found these ranks and these online ranks in the restored state. */
    record Restart(Targets all, Idset online) implements Event {
        @Override
        public String name() {
            return "restart";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            out.writeStringField("ranks", all.ranks.toString());
            out.writeStringField("online", online.toString());
            out.writeStringField("nodelist", all.nodelist);
        }

        @Override
        public @Nullable String faultIn(InventoryState state) {
            return all.faultIn(state);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state;
        }
    }

    /**
     * RFC 44 {@code resource-define}, with R itself, because the state must be recoverable from the journal alone.
     *
     * @param initial liveness of new hosts
     */
    record Define(String method, ResourceSet resources, Liveness.Status initial) implements Event {
        @Override
        public String name() {
            return "resource-define";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeSummary(out);
            out.writeFieldName("R");
            out.writeRawValue(resources.toString());
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
            return state.redefine(resources, method, new Liveness.Report(initial, time, "defined"));
        }
    }

    /** RFC 44 {@code resource-update}. */
    record Update(double expiration) implements Event {
        @Override
        public String name() {
            return "resource-update";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            out.writeNumberField("expiration", Epoch.decimal(expiration));
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

    /** RFC 44 {@code online, offline, torpid, lively}. A rank that was torpid and is online again is reported as lively. */
    record Report(String name, Targets targets, String cause) implements Targeted {
        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            if (!cause.isEmpty()) {
                out.writeStringField("cause", cause);
            }
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Liveness.Report report = new Liveness.Report(statusOf(name), time, cause);
            return state.withLiveness(l -> l.put(targets.ranks, report));
        }

        static Liveness.Status statusOf(String name) {
            return name.equals("lively")
                    ? Liveness.Status.ONLINE
                    : Liveness.Status.valueOf(name.toUpperCase(Locale.ROOT));
        }
    }

    /**
     * RFC 44 {@code drain}.
     *
     * @param overwrite what happens to an existing hold: see {@link Overwrite}
     * @param until time at which the hold ends; 0 for none
     */
    record Drain(Targets targets, @Nullable String reason, Overwrite overwrite, String holder, double until)
            implements Targeted {
        @Override
        public String name() {
            return "drain";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeHold(out, targets, reason, overwrite, holder);
            if (until > 0) {
                out.writeNumberField("until", Epoch.decimal(until));
            }
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Hold fresh = new Hold(holder, reason, time, by, until);
            return state.withHolds(h -> h.change(targets.ranks, set -> {
                Hold existing = set == null ? null : set.of(holder);
                return HoldSet.with(set, existing == null ? fresh : overwrite.merge(existing, fresh));
            }));
        }
    }

    /**
     * RFC 44 {@code undrain}.
     *
     * @param holder holder whose hold ends, or {@link #EVERYBODY}
     */
    record Undrain(Targets targets, @Nullable String reason, Overwrite overwrite, String holder) implements Targeted {
        public static final String EVERYBODY = "*";

        @Override
        public String name() {
            return "undrain";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeHold(out, targets, reason, overwrite, holder);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            boolean all = holder.equals(EVERYBODY);
            UnaryOperator<@Nullable HoldSet> lift =
                    set -> HoldSet.without(set, hold -> all || hold.holder().equals(holder));
            return state.withHolds(h -> h.change(targets.ranks, lift))
                    .withDeparted(targets.departed, departed -> departed.withHolds(lift.apply(departed.holds())));
        }
    }

    /**
     * Takes ranks from those offered to schedulers. Holds on excluded ranks end, as in flux-core, where a rank is not both
     * excluded and drained; holds on lost ranks stay.
     */
    record Exclude(
            Targets targets, Membership.Kind kind, @Nullable String reason) implements Targeted {
        @Override
        public String name() {
            return kind == Membership.Kind.LOST ? "shrink" : "exclude";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeMembership(out, targets, kind, reason);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Membership.Absence absence = new Membership.Absence(kind, reason, time, by);
            InventoryState absent = state.withMembership(m -> m.leave(targets.ranks, absence));
            return kind == Membership.Kind.LOST ? absent : absent.withHolds(h -> h.clear(targets.ranks));
        }
    }

    /**
     * Offers ranks again, to the next scheduler that acquires.
     *
     * @param kind author of the change: the configuration takes back its own exclusions, an admin all other absences
     */
    record Include(
            Targets targets, Membership.Kind kind, @Nullable String reason) implements Targeted {
        @Override
        public String name() {
            return "include";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeMembership(out, targets, kind, reason);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withMembership(m -> kind == Membership.Kind.CONFIG
                            ? m.rejoin(targets.ranks, kind)
                            : m.rejoin(targets.ranks, Membership.Kind.ADMIN)
                                    .rejoin(targets.ranks, Membership.Kind.LOST))
                    .withDeparted(targets.departed, Departed::included);
        }
    }

    /** RFC 28 {@code property-add} and {@code property-remove} as events. */
    record Properties(boolean add, SortedMap<String, Idset> properties) implements Event {
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
                String fault = illegal == null ? Targets.strangers(state, property.getValue()) : illegal;
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

    /** What a drain or undrain overwrites; the numbers are those of RFC 44's {@code overwrite}. */
    enum Overwrite {
        /** An existing reason stays; a missing reason is filled in. */
        NOTHING(0),
        /** The reason is replaced, the time stays. */
        REASON(1),
        /** Reason and time are replaced. */
        REASON_AND_TIME(2);

        private final int number;

        Overwrite(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }

        Hold merge(Hold existing, Hold fresh) {
            if (this == NOTHING && existing.reason() != null) {
                return existing;
            }
            double since = this == REASON_AND_TIME ? fresh.since() : existing.since();
            double until = this == REASON_AND_TIME || fresh.until() > 0 ? fresh.until() : existing.until();
            return new Hold(existing.holder(), fresh.reason(), since, fresh.by(), until);
        }
    }
}
