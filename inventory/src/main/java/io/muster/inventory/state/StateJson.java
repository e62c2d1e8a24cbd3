package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.axis.Boot;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Holds;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Report;
import io.muster.inventory.axis.Reports;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import io.muster.inventory.json.Pieces;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.level.Level;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The whole state as one readable JSON object, in readable groups, and small if there are few groups. A rank that is absent in
 * two ways is in two groups:
 * <pre>
 * { "method": "configuration", "R": {...},
 *   "property-add": {"name": "idset"}, "property-remove": {...}, "expiration": number if an admin set it,
 *   "liveness": [{"idset", "nodelist", "status", "since", "cause"}],
 *   "absent":   [{"idset", "nodelist", "kind", "reason"?, "since", "by"}],
 *   "holds":    [{"idset", "nodelist", "holds": [{"holder", "reason"?, "since", "changed"?, "from"?, "until"?, "class"?, "ticket"?,
 *                "check"?, "action"?, "attempt"?, "standing"?: {"step", "since", "until"?, "boot"?, "detail"?, "by"}, "by"}]}],
 *   "plans":    [{"idset", "nodelist", "plans": [like a hold]}], "attempts": number if not 0, "boots"?: {"host": {"id", "since"}},
 *   "departed": {"host": {"holds"?, "plans"?, "absent"?, "property-add"?: [name], "property-remove"?: [name]}},
 *   "level": number, "ids": [{"id", "request", "userid", "time", "seq"}],
 *   "acquisitions": [{"owner", "grace", "since", "by"}],
 *   "reports": [{"reporter", "idset", "nodelist", "since", "lapsed", "by"}],
 *   "notes": see {@link NoteJson}, also in a departed host }
 * </pre>
 * {@code acquisitions}, {@code plans}, {@code reports} and {@code notes} are absent where there are none. Keys that this version does not know are read
 * and written again, in the whole object, in a group of {@code liveness} or {@code absent}, in a hold, in an acquisition, in a report, in
 * a note, in {@code by} and in a departed host.
 */
public final class StateJson {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Set<String> STATE = Set.of(
            "method",
            "R",
            "property-add",
            "property-remove",
            "expiration",
            "liveness",
            "absent",
            "holds",
            "plans",
            "attempts",
            "boots",
            "departed",
            "level",
            "ids",
            "acquisitions",
            "reports",
            "notes");
    private static final Set<String> DEPARTED =
            Set.of("holds", "plans", "absent", "property-add", "property-remove", "notes");

    private StateJson() {}

    public static byte[] toBytes(InventoryState state) {
        return toBytes(state, true);
    }

    private static byte[] toBytes(InventoryState state, boolean withR) {
        Pieces bytes = new Pieces();
        try (JsonGenerator out = JSON.createGenerator(bytes)) {
            new Writer(out, state, withR).write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Writes the state without R as it was defined and without ids. Responses carry only the current R: the defined R and the
     * ids may be long, and any peer may send the request.
     */
    public static byte[] toBytesWithoutR(InventoryState state) {
        return toBytes(state, false);
    }

    /**
     * Reads what {@link #toBytes} writes, and ignores other members.
     *
     * @param json a tree whose floats are decimals; doubles would change digits of R
     * @throws InvalidException naming the place, if the tree is something else
     */
    public static InventoryState parse(JsonNode json) {
        return new Reader(Fields.of("snapshot", json)).read();
    }

    /** Reads an idset that is not empty and contains only ids of {@code all}. */
    static Idset ranks(Fields in, String key, Idset all) {
        Idset ids = in.parse(key, Idset::parse);
        if (ids.isEmpty() || !all.containsAll(ids)) {
            throw in.fault(
                    key, ids.isEmpty() ? "names no rank" : "names " + ids.subtract(all) + ", which R does not have");
        }
        return ids;
    }

    private record Reader(Fields in) {
        InventoryState read() {
            ResourceSet base = in.tree("R", ResourceSet::parse);
            Idset ranks = base.ranks();
            return new InventoryState(
                    definition(base),
                    membership(ranks),
                    liveness(ranks),
                    holds(Holds.NONE, "holds", ranks),
                    departed(),
                    books(ranks));
        }

        private Bookkeeping books(Idset all) {
            Level level = in.has("level") ? Level.of(in.integer("level", 1, Level.NEWEST.number())) : Level.ONE;
            ChangeIds ids = ChangeIds.NONE;
            for (Fields given : in.listOrNone("ids")) {
                ids = ids.with(ChangeIds.Given.read(given));
            }
            return new Bookkeeping(
                    level,
                    ids,
                    acquisitions(),
                    NoteJson.read(in, all),
                    in.has("plans") ? holds(Holds.NO_PLANS, "plans", all) : Holds.NO_PLANS,
                    in.has("attempts") ? in.integer("attempts", 1, Long.MAX_VALUE) : 0,
                    boots(),
                    Extras.besides(in, STATE));
        }

        private SortedTree<String, Boot> boots() {
            SortedTree<String, Boot> boots = SortedTree.empty();
            if (in.has("boots")) {
                Fields hosts = in.object("boots");
                for (String host : hosts.names()) {
                    boots = boots.with(host, Boot.read(hosts.object(host)));
                }
            }
            return boots;
        }

        private SortedMap<String, Acquisition> acquisitions() {
            SortedMap<String, Acquisition> acquisitions = new TreeMap<>();
            for (Fields held : in.listOrNone("acquisitions")) {
                Acquisition acquisition = Acquisition.read(held);
                acquisitions.put(acquisition.owner(), acquisition);
            }
            return Collections.unmodifiableSortedMap(acquisitions);
        }

        private Definition definition(ResourceSet base) {
            double expiration = Epoch.instantOr(in, "expiration", -1);
            String fault = Definition.expirationFault(base, expiration);
            if (fault != null) {
                throw in.fault("expiration", fault);
            }
            return Definition.restore(
                    base,
                    in.text("method"),
                    properties("property-add", base.ranks()),
                    properties("property-remove", base.ranks()),
                    expiration);
        }

        private SortedTree<String, Idset> properties(String key, Idset all) {
            Fields object = in.object(key);
            SortedTree<String, Idset> properties = Definition.readProperties(object);
            properties.keySet().forEach(name -> {
                String fault = ResourceSet.propertyNameFault(name);
                if (fault != null) {
                    throw object.fault(name, fault);
                }
                ranks(object, name, all);
            });
            return properties;
        }

        private Liveness liveness(Idset all) {
            IdMap<LivenessState> states = IdMap.empty();
            for (Fields group : in.list("liveness")) {
                states = states.put(ranks(group, "idset", all), LivenessState.read(group));
            }
            Idset silent = all.subtract(states.keys());
            if (!silent.isEmpty()) {
                throw in.fault("liveness", "says nothing of " + silent);
            }
            return Liveness.of(states).with(reports(all));
        }

        private Reports reports(Idset all) {
            Reports reports = Reports.NONE;
            for (Fields report : in.listOrNone("reports")) {
                reports = reports.with(Report.read(report, ranks(report, "idset", all)));
            }
            return reports;
        }

        private Membership membership(Idset all) {
            Membership.Builder membership = new Membership.Builder();
            for (Fields group : in.list("absent")) {
                membership.add(ranks(group, "idset", all), Membership.Absence.read(group));
            }
            return membership.build();
        }

        private Holds holds(Holds none, String key, Idset all) {
            IdMap<HoldSet> holds = IdMap.empty();
            for (Fields group : in.list(key)) {
                holds = holds.put(ranks(group, "idset", all), HoldSet.read(group, key));
            }
            return none.of(holds);
        }

        private SortedMap<String, Departed> departed() {
            Fields hosts = in.object("departed");
            SortedMap<String, Fields> sorted = new TreeMap<>();
            hosts.names().forEach(host -> sorted.put(host, hosts.object(host)));
            SortedMap<String, Departed> departed = new TreeMap<>();
            sorted.forEach((host, fields) -> departed.put(host, departed(fields)));
            return departed;
        }

        private static Departed departed(Fields in) {
            List<Membership.Absence> absences = new ArrayList<>();
            in.listOrNone("absent").forEach(absence -> absences.add(Membership.Absence.read(absence)));
            return new Departed(
                    in.has("holds") ? HoldSet.read(in, "holds") : null,
                    in.has("plans") ? HoldSet.read(in, "plans") : null,
                    absences,
                    in.textsOrNone("property-add"),
                    in.textsOrNone("property-remove"),
                    NoteJson.readDeparted(in),
                    Extras.besides(in, DEPARTED));
        }
    }

    /** Writes the members of a value into the current JSON object. */
    private interface Part<T> {
        void write(T value, JsonGenerator out) throws IOException;
    }

    private record Writer(JsonGenerator out, InventoryState state, boolean withR) {
        void write() throws IOException {
            out.writeStartObject();
            definition(state.definition());
            groups("liveness", state.liveness().groups(), LivenessState::write);
            groups("absent", state.membership().groups(), Membership.Absence::write);
            groups("holds", state.holds().groups(), (set, to) -> set.write(to, "holds"));
            if (!state.plans().held().isEmpty()) {
                groups("plans", state.plans().groups(), (set, to) -> set.write(to, "plans"));
            }
            if (state.attempts() > 0) {
                out.writeNumberField("attempts", state.attempts());
            }
            boots();
            departed();
            listUnlessEmpty("acquisitions", state.acquisitions().values(), Acquisition::write);
            listUnlessEmpty("reports", state.liveness().reports().all(), (report, to) -> {
                Event.Targets.of(state, report.ranks()).write(to);
                report.write(to);
            });
            NoteJson.write(out, state);
            state.books().extras().write(out);
            if (withR) {
                out.writeNumberField("level", state.level().number());
                list("ids", state.ids().all(), ChangeIds.Given::write);
            }
            out.writeEndObject();
        }

        private void definition(Definition definition) throws IOException {
            out.writeStringField("method", definition.method());
            if (withR) {
                out.writeFieldName("R");
                StrictJson.write(definition.base().toSharedJson(), out);
            }
            properties("property-add", definition.added());
            properties("property-remove", definition.removed());
            if (definition.expirationSet() >= 0) {
                Epoch.write(out, "expiration", definition.expirationSet());
            }
        }

        private void properties(String key, SortedTree<String, Idset> properties) throws IOException {
            out.writeObjectFieldStart(key);
            for (Map.Entry<String, Idset> property : properties.entrySet()) {
                out.writeStringField(property.getKey(), property.getValue().toString());
            }
            out.writeEndObject();
        }

        /** Writes values with their ranks. */
        private <T> void groups(String key, Map<T, Idset> groups, Part<T> part) throws IOException {
            list(key, groups.entrySet(), (group, to) -> {
                Event.Targets.of(state, group.getValue()).write(to);
                part.write(group.getKey(), to);
            });
        }

        private <T> void listUnlessEmpty(String key, Collection<T> values, Part<T> part) throws IOException {
            if (!values.isEmpty()) {
                list(key, values, part);
            }
        }

        private <T> void list(String key, Collection<T> values, Part<T> part) throws IOException {
            out.writeArrayFieldStart(key);
            for (T value : values) {
                out.writeStartObject();
                part.write(value, out);
                out.writeEndObject();
            }
            out.writeEndArray();
        }

        private void boots() throws IOException {
            if (!state.books().boots().isEmpty()) {
                out.writeObjectFieldStart("boots");
                for (Map.Entry<String, Boot> boot : state.books().boots().entrySet()) {
                    out.writeObjectFieldStart(boot.getKey());
                    boot.getValue().write(out);
                    out.writeEndObject();
                }
                out.writeEndObject();
            }
        }

        private void departed() throws IOException {
            out.writeObjectFieldStart("departed");
            for (Map.Entry<String, Departed> entry : state.departed().entrySet()) {
                Departed departed = entry.getValue();
                out.writeObjectFieldStart(entry.getKey());
                if (departed.holds() != null) {
                    departed.holds().write(out, "holds");
                }
                if (departed.plans() != null) {
                    departed.plans().write(out, "plans");
                }
                listUnlessEmpty("absent", departed.absences(), Membership.Absence::write);
                names("property-add", departed.added());
                names("property-remove", departed.removed());
                NoteJson.writeDeparted(out, departed.notes());
                departed.extras().write(out);
                out.writeEndObject();
            }
            out.writeEndObject();
        }

        private void names(String key, List<String> names) throws IOException {
            if (!names.isEmpty()) {
                out.writeArrayFieldStart(key);
                for (String name : names) {
                    out.writeString(name);
                }
                out.writeEndArray();
            }
        }
    }
}
