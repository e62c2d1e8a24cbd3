package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import io.muster.inventory.json.Pieces;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the journal: an event that happened, with its time, its author and its sequence number.
 *
 * @param seq sequence number, one more than that of the previous entry
 * @param timestamp seconds since the epoch
 * @param id the id of the change of which this is the last entry; null if it has none
 */
public record Entry(
        long seq,
        double timestamp,
        Principal by,
        Event event,
        @Nullable ChangeId id) {
    private static final Set<String> COMMON = Set.of("id", "request");

    public Entry(long seq, double timestamp, Principal by, Event event) {
        this(seq, timestamp, by, event, null);
    }

    /**
     * Returns the state after this entry.
     *
     * @throws InvalidException if the event cannot have happened to {@code state}, which means that the entry belongs to
     *     another journal
     */
    public InventoryState applyTo(InventoryState state) {
        String fault = event.faultIn(state);
        if (fault != null) {
            throw new InvalidException("journal entry " + seq, List.of(new Problem("/context", fault)), 0);
        }
        InventoryState next = state.apply(event, timestamp, by);
        return id == null ? next : next.remember(id, timestamp, by, seq);
    }

    /**
     * Returns the entry as an RFC 18 object, whose context also names the author. The object is without {@code seq}, which
     * the journal adds.
     */
    public byte[] toBytes() {
        return write(event::writeContext);
    }

    /** Returns {@link #toBytes} without R, which may be larger than everything else together. */
    public byte[] toSummary() {
        return write(event::writeSummary);
    }

    /** Returns {@link #toBytes} as a tree. */
    public ObjectNode toJson() {
        return tree(toBytes());
    }

    /**
     * Returns {@link #toSummary} as a tree.
     *
     * @param json {@link #toBytes} of this entry, which needs no second serialisation unless the event has an R
     */
    public ObjectNode toSummaryJson(byte[] json) {
        return tree(event instanceof DefinitionChanges.Defined ? toSummary() : json);
    }

    private static ObjectNode tree(byte[] json) {
        try {
            return (ObjectNode) StrictJson.stored(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Context {
        void write(JsonGenerator out) throws IOException;
    }

    private byte[] write(Context context) {
        Pieces bytes = new Pieces();
        try (JsonGenerator out = StrictJson.generator(bytes)) {
            write(out, context);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private void write(JsonGenerator out, Context context) throws IOException {
        out.writeStartObject();
        out.writeFieldName("timestamp");
        out.writeNumber(Epoch.decimal(timestamp).toPlainString());
        out.writeStringField("name", event.name());
        out.writeObjectFieldStart("context");
        context.write(out);
        by.write(out);
        if (id != null) {
            out.writeStringField("id", id.id().toString());
            out.writeStringField("request", id.request());
        }
        out.writeEndObject();
        out.writeEndObject();
    }

    /**
     * Reads what {@link #toBytes} writes, with {@code seq} as an additional member.
     *
     * @param json a tree whose floats are decimals; doubles would change digits of R
     * @throws InvalidException naming the place, if the tree is something else
     */
    public static Entry parse(JsonNode json) {
        return new Reader(json).read();
    }

    /** Reads the JSON that an {@link Event} writes. */
    private static final class Reader {
        private final Fields entry;
        private final Fields context;

        Reader(JsonNode json) {
            entry = Fields.of(
                    "journal entry"
                            + (json.path("seq").isIntegralNumber()
                                    ? " " + json.path("seq").asText()
                                    : ""),
                    json);
            context = entry.object("context");
        }

        Entry read() {
            return new Entry(
                    entry.integer("seq", 0, Long.MAX_VALUE),
                    Epoch.seconds(entry, "timestamp"),
                    Principal.read(context),
                    event(),
                    id());
        }

        private @Nullable ChangeId id() {
            return context.has("id") ? new ChangeId(ChangeIds.read(context), context.text("request")) : null;
        }

        /** Reads the keys that this version does not know. */
        private Extras extras(String... known) {
            Set<String> all = new HashSet<>(Principal.KEYS);
            all.addAll(COMMON);
            all.addAll(List.of("idset", "nodelist", "departed"));
            all.addAll(List.of(known));
            return Extras.besides(context, all);
        }

        private Extras holdExtras(String... more) {
            List<String> known = new ArrayList<>(List.of("reason", "overwrite", "holder", "from", "until"));
            known.addAll(Purpose.KEYS);
            known.addAll(List.of(more));
            return extras(known.toArray(String[]::new));
        }

        private Event event() {
            String name = entry.text("name");
            return switch (name) {
                case "restart" ->
                    new DefinitionChanges.Restarted(
                            new Event.Targets(context.parse("ranks", Idset::parse), context.text("nodelist")),
                            context.parse("online", Idset::parse));
                case "resource-define" ->
                    new DefinitionChanges.Defined(
                            context.text("method"),
                            context.tree("R", ResourceSet::parse),
                            Liveness.Status.read(context, "initial"));
                case "resource-update" -> new DefinitionChanges.ExpirationChanged(Epoch.instant(context, "expiration"));
                case "online", "offline", "torpid", "lively" ->
                    new LivenessChanges.LivenessChanged(
                            LivenessChange.of(name), targets(), context.textOr("cause", ""), extras("cause"));
                case "drain" ->
                    new HoldChanges.Drained(
                            targets(),
                            reason(),
                            overwrite(),
                            context.text("holder"),
                            context.has("planner") ? Principal.readIn(context, "planner") : null,
                            Epoch.instantOr(context, "from", 0),
                            Epoch.instantOr(context, "until", 0),
                            Purpose.read(context),
                            context.has("attempt") ? context.integer("attempt", 1, Long.MAX_VALUE) : 0,
                            holdExtras("attempt", "planner"));
                case "plan", "unplan", "overrun" -> planned(name);
                case "undrain" -> new HoldChanges.Undrained(targets(), reason(), overwrite(), context.text("holder"));
                case "exclude", "shrink" -> absence(name);
                case "include" -> new MembershipChanges.Included(targets(), Membership.Kind.read(context), reason());
                case "property-add" ->
                    new DefinitionChanges.PropertiesChanged(
                            true, Definition.readProperties(context.object("properties")));
                case "property-remove" ->
                    new DefinitionChanges.PropertiesChanged(
                            false, Definition.readProperties(context.object("properties")));
                case "upgrade" -> FormatChanges.Upgraded.read(context);
                case "acquire" ->
                    new AcquisitionChanges.Acquired(
                            context.text("owner"), context.number("grace"), extras("owner", "grace"));
                case "release" -> new AcquisitionChanges.Released(context.text("owner"), reason());
                case "annotate" -> NoteChanges.Annotated.read(targets(), context);
                default -> reported(name);
            };
        }

        /** Reads an event that follows from reports of reporters, hosts and scripts. */
        private Event reported(String name) {
            return switch (name) {
                case "boot" -> new CheckChanges.Booted(targets(), context.text("boot"));
                case "attempt" ->
                    WorkChanges.Worked.read(
                            targets(), context, extras("holder", "attempt", "step", "next", "until", "boot", "detail"));
                case "report" -> new ReportChanges.Reported(context.text("reporter"), targets(), extras("reporter"));
                case "lapse" -> new ReportChanges.Lapsed(context.text("reporter"), targets());
                case "audit" ->
                    new AuditChanges.AuditRecorded(
                            context.text("scheduler"),
                            targets(),
                            context.text("differences"),
                            extras("scheduler", "differences"));
                default -> throw entry.fault("name", "there is no event \"" + name + "\"");
            };
        }

        private Event planned(String name) {
            return switch (name) {
                case "plan" ->
                    new PlanChanges.Planned(
                            targets(),
                            reason(),
                            overwrite(),
                            context.text("holder"),
                            Epoch.instant(context, "from"),
                            Epoch.instantOr(context, "until", 0),
                            Purpose.read(context),
                            holdExtras());
                case "unplan" ->
                    new PlanChanges.Unplanned(targets(), reason(), context.text("holder"), extras("reason", "holder"));
                default ->
                    new PlanChanges.Overran(
                            targets(), context.text("reason"), context.text("holder"), extras("reason", "holder"));
            };
        }

        private Event absence(String name) {
            MembershipChanges.Excluded event = new MembershipChanges.Excluded(
                    targets(), Membership.Kind.read(context), reason(), extras("kind", "reason"));
            if (!event.name().equals(name)) {
                throw context.fault("kind", "is not that of an event \"" + name + "\"");
            }
            return event;
        }

        private Event.Targets targets() {
            return new Event.Targets(
                    context.parse("idset", Idset::parse),
                    context.text("nodelist"),
                    context.has("departed") ? context.parse("departed", Hostlist::parse) : Hostlist.EMPTY);
        }

        private @Nullable String reason() {
            return context.optional("reason");
        }

        private HoldChanges.Overwrite overwrite() {
            long number = context.integer("overwrite", 0, 2);
            for (HoldChanges.Overwrite overwrite : HoldChanges.Overwrite.values()) {
                if (overwrite.number() == number) {
                    return overwrite;
                }
            }
            throw context.fault("overwrite", "must be 0, 1 or 2");
        }
    }
}
