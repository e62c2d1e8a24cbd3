package io.muster.inventory.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Report;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A group of ranks that are in the same state for the same reason, which a table shows in one row.
 *
 * @param up whether schedulers are told that they may use the ranks
 * @param online whether the ranks are connected; torpid ranks are connected too
 * @param holds the holds that drain the ranks, or null
 * @param absence why the ranks are excluded or lost, or null
 * @param report since when the ranks are offline, and the cause; null if the ranks are online
 * @param lapsed the report of the lost reporter of the ranks; null if it is known whether the ranks are online
 */
public record StateGroup(
        HostState state,
        boolean up,
        boolean online,
        Idset ranks,
        @Nullable HoldSet holds,
        Membership.@Nullable Absence absence,
        @Nullable LivenessState report,
        @Nullable Report lapsed) {

    /**
     * Returns the groups in the order of {@link HostState}. Within a state, online ranks come before offline ranks, and both before
     * ranks whose reporter is lost.
     *
     * @param allocated the ranks that jobs use, as far as it is known
     */
    public static List<StateGroup> of(InventoryState state, Idset allocated, Idset among) {
        List<StateGroup> groups = new ArrayList<>();
        Idset members = state.members().intersect(among);
        Idset free = members.subtract(state.holds().held());
        Liveness live = state.liveness();
        Idset unknown = free.intersect(live.reports().unknown());
        Idset online = free.subtract(unknown).intersect(live.connected());
        Idset available = online.subtract(live.torpid());
        add(groups, state, HostState.AVAILABLE, available.subtract(allocated), null, null);
        add(groups, state, HostState.ALLOCATED, available.intersect(allocated), null, null);
        add(groups, state, HostState.OFFLINE, free.subtract(unknown).subtract(online), null, null);
        Idset up = state.view().up();
        add(groups, state, HostState.UNKNOWN, unknown.intersect(up), null, null);
        add(groups, state, HostState.UNKNOWN, unknown.subtract(up), null, null);
        add(groups, state, HostState.TORPID, online.intersect(live.torpid()), null, null);
        addAbsent(groups, state, among);
        for (Map.Entry<HoldSet, Idset> held : state.holds().groups(members).entrySet()) {
            Idset drained = held.getValue();
            add(groups, state, HostState.DRAINING, drained.intersect(allocated), held.getKey(), null);
            add(groups, state, HostState.DRAINED, drained.subtract(allocated), held.getKey(), null);
        }
        return groups;
    }

    /**
     * Adds the groups of absent ranks. A rank that is absent for several reasons is listed once: as lost, otherwise as
     * excluded by the configuration, otherwise as excluded by an admin.
     */
    private static void addAbsent(List<StateGroup> groups, InventoryState state, Idset among) {
        Idset remaining = among;
        Idset lost = state.membership().lost();
        for (Map.Entry<Membership.Absence, Idset> absent :
                state.membership().groups(among).entrySet()) {
            boolean isLost = absent.getKey().kind() == Membership.Kind.LOST;
            Idset ranks = absent.getValue().intersect(isLost ? remaining : remaining.subtract(lost));
            add(groups, state, isLost ? HostState.LOST : HostState.EXCLUDED, ranks, null, absent.getKey());
            remaining = remaining.subtract(ranks);
        }
    }

    private static void add(
            List<StateGroup> groups,
            InventoryState state,
            HostState word,
            Idset ranks,
            @Nullable HoldSet holds,
            Membership.@Nullable Absence absence) {
        if (ranks.isEmpty()) {
            return;
        }
        Liveness live = state.liveness();
        boolean up = state.view().up().contains(ranks.first());
        Idset known = ranks.subtract(live.reports().unknown());
        Idset online = known.intersect(live.connected());
        if (!online.isEmpty()) {
            groups.add(new StateGroup(word, up, true, online, holds, absence, null, null));
        }
        Idset offline = known.subtract(online);
        live.shown(offline)
                .forEach((report, alike) ->
                        groups.add(new StateGroup(word, up, false, alike, holds, absence, report, null)));
        for (Report report : live.reports().all()) {
            Idset alike = report.ranks().intersect(ranks);
            if (report.isLapsed() && !alike.isEmpty()) {
                groups.add(new StateGroup(word, up, false, alike, holds, absence, null, report));
            }
        }
    }

    /** Returns whether the ranks are offline or unknown, if they are not online. */
    HostState liveness() {
        return lapsed != null ? HostState.UNKNOWN : HostState.OFFLINE;
    }

    /** Returns the word for the state, followed by offline or unknown if the ranks are that besides. */
    public String word() {
        return state.word()
                + (online || state == liveness() ? "" : "," + liveness().word());
    }

    /** Returns {@link #word} of a group from its JSON. */
    public static String word(JsonNode group) {
        String state = group.path("state").asText();
        JsonNode online = group.path("online");
        String liveness = online.isNull() ? HostState.UNKNOWN.word() : HostState.OFFLINE.word();
        return state + (online.asBoolean(online.isMissingNode()) || liveness.equals(state) ? "" : "," + liveness);
    }

    /**
     * Returns when the state began: when the oldest hold was placed, or the ranks were excluded, lost or went offline; 0 if
     * no time is known.
     */
    public double since() {
        if (holds != null) {
            return holds.oldest().since();
        }
        if (absence != null) {
            return absence.since();
        }
        return lapsed != null ? lapsed.lapsed() : report == null ? 0 : report.since();
    }

    /**
     * Returns all reasons as one text. The name of the holder comes before the reason of each hold, unless the only hold is
     * the shared hold ({@link Hold#SHARED}), and the ticket before the words.
     */
    public String reason() {
        if (absence != null) {
            return absence.reason() == null ? "" : absence.reason();
        }
        if (holds == null) {
            return lapsed != null ? lapsed.reporter() + " does not report" : report == null ? "" : report.reason();
        }
        StringBuilder text = new StringBuilder();
        for (Hold hold : holds.holds()) {
            text.append(text.length() == 0 ? "" : "; ");
            boolean shared = hold.holder().equals(Hold.SHARED) && holds.holds().size() == 1;
            text.append(shared ? "" : hold.holder() + ": ").append(hold.text());
        }
        return text.toString();
    }

    public ObjectNode toJson(ResourceSet resources, boolean expand) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("state", state.word())
                .put("up", up)
                .put("online", lapsed == null ? online : null)
                .put("nnodes", ranks.size());
        json.put("ranks", ranks.toString());
        json.put("hosts", resources.hostsOf(ranks).toString());
        if (expand) {
            ArrayNode names = json.putArray("hostnames");
            resources.hostsOf(ranks).expand().forEach(names::add);
        }
        json.put("reason", reason());
        time(json, "since", since());
        if (report != null) {
            json.put("cause", report.reason());
            time(json, "offline_since", report.since());
        }
        if (lapsed != null) {
            json.put("reporter", lapsed.reporter());
            time(json, "unknown_since", lapsed.lapsed());
        }
        if (absence != null) {
            json.put("kind", absence.kind().word());
            writeAuthor(json, absence.by());
        }
        if (holds != null) {
            ArrayNode all = json.putArray("holds");
            holds.holds().forEach(hold -> all.add(toJson(hold)));
        }
        return json;
    }

    static ObjectNode toJson(Membership.Absence absence) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("kind", absence.kind().word()).put("reason", absence.reason());
        time(json, "since", absence.since());
        writeAuthor(json, absence.by());
        return json;
    }

    static ObjectNode toJson(Hold hold) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("holder", hold.holder()).put("reason", hold.reason());
        time(json, "since", hold.since());
        time(json, "until", hold.until());
        if (hold.from() > 0) {
            time(json, "from", hold.from());
        }
        hold.purpose().words().forEach(json::put);
        if (hold.attempt() > 0) {
            json.put("attempt", hold.attempt());
        }
        writeAuthor(json, hold.by());
        return json;
    }

    static void writeAuthor(ObjectNode json, Principal by) {
        if (!by.user().isEmpty()) {
            json.set("by", author(by));
        }
    }

    private static ObjectNode author(Principal by) {
        ObjectNode author = JsonNodeFactory.instance.objectNode();
        author.put("user", by.user()).put("userid", by.uid());
        if (by.login() != Principal.NO_LOGIN) {
            author.put("loginuid", Integer.toUnsignedLong(by.login()));
        }
        Principal.Speaker speaker = by.speaker();
        if (speaker != null) {
            author.set("speaker", author(speaker.author()));
        }
        return author;
    }

    static void time(ObjectNode json, String key, double epoch) {
        json.put(key, epoch <= 0 ? null : Times.rfc3339(epoch));
    }
}
