package io.muster.inventory.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.hostlist.HostSearch;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.NoteChanges;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of an event that matters to the history of hosts.
 *
 * @param time seconds since the epoch
 * @param hosts the hosts that the event is about; for a definition, the hosts in R
 * @param holder the holder of a hold, or {@link HoldChanges.Undrained#EVERYBODY}; {@link #CONFIG} for exclusions by the
 *     configuration; otherwise ""
 * @param reason the reason, or the cause of a change of liveness; "" for none
 * @param purpose the class and the ticket of a hold; {@link Purpose#NONE} in all other events
 * @param who the user that caused the event, and the login uid if that is another user's; "" if unknown
 * @param notes the change of marks and tags; null in all other events
 */
public record PastEvent(
        double time,
        Kind kind,
        Hostlist hosts,
        String holder,
        String reason,
        Purpose purpose,
        String who,
        NoteChanges.@Nullable Annotated notes) {
    public static final String CONFIG = Membership.Kind.CONFIG.word();

    private static final String ANNOTATE = "annotate";

    public enum Kind {
        /** R is defined, and new hosts begin online. */
        DEFINE,
        /** R is defined, and new hosts begin offline. */
        DEFINE_OFFLINE,
        /** A drain that gives a reason to an existing hold only if the hold has none. */
        DRAIN,
        /** A drain that replaces the reason of an existing hold. */
        DRAIN_REASON,
        /** A drain that replaces an existing hold. */
        DRAIN_ANEW,
        UNDRAIN,
        EXCLUDE,
        SHRINK,
        INCLUDE,
        OFFLINE,
        TORPID,
        /** Hosts come online, or are heard from again. */
        ONLINE,
        /** Marks or tags of hosts or their parts change. */
        ANNOTATE,
        /** An event that neither begins nor ends an outage. */
        OTHER
    }

    public static PastEvent of(Entry entry) {
        Event event = entry.event();
        Kind kind = kind(event.name(), 0, false);
        Hostlist hosts = kind != Kind.OTHER && event instanceof Event.Targeted targeted
                ? Hostlist.parse(targeted.targets().nodelist())
                : Hostlist.EMPTY;
        String holder = "";
        String reason = "";
        if (event instanceof DefinitionChanges.Defined define) {
            kind = define.initial() == Liveness.Status.OFFLINE ? Kind.DEFINE_OFFLINE : Kind.DEFINE;
            hosts = define.resources().hosts();
        } else if (event instanceof HoldChanges.Drained drain) {
            kind = switch (drain.overwrite()) {
                case NOTHING -> Kind.DRAIN;
                case REASON -> Kind.DRAIN_REASON;
                case REASON_AND_TIME -> Kind.DRAIN_ANEW;
            };
            holder = drain.holder();
            reason = orNone(drain.reason());
        } else if (event instanceof HoldChanges.Undrained undrain) {
            holder = undrain.holder();
            reason = orNone(undrain.reason());
        } else if (event instanceof MembershipChanges.Excluded exclude) {
            holder = author(exclude.kind().word());
            reason = orNone(exclude.reason());
        } else if (event instanceof MembershipChanges.Included include) {
            holder = author(include.kind().word());
            reason = orNone(include.reason());
        } else if (event instanceof LivenessChanges.LivenessChanged report) {
            reason = report.cause();
        }
        HoldChanges.Drained drained = event instanceof HoldChanges.Drained drain ? drain : null;
        Principal planner = drained == null ? null : drained.planner();
        return new PastEvent(
                entry.timestamp(),
                kind,
                hosts,
                holder,
                reason,
                drained == null ? Purpose.NONE : drained.purpose().reported(),
                (planner == null ? entry.by() : planner).author(),
                event instanceof NoteChanges.Annotated notes ? notes : null);
    }

    private static String orNone(@Nullable String reason) {
        return reason == null ? "" : reason;
    }

    private static String author(String kind) {
        return kind.equals(CONFIG) ? CONFIG : "";
    }

    /**
     * Reads an event from a response of Muster or of a Flux broker. Reading is lenient: a Flux broker does not send data that
     * only Muster has, such as the holder and the user. A definition without R is an event that changes nothing.
     *
     * @param wanted the hosts that matter; others may be missing from the result
     */
    public static PastEvent of(JsonNode event, HostSearch wanted) {
        if (event instanceof ObjectNode annotate && event.path("name").asText().equals(ANNOTATE)) {
            return of(Entry.parse(annotate));
        }
        JsonNode context = event.path("context");
        String initial = context.path("initial").asText();
        Kind kind = kind(
                event.path("name").asText(),
                context.path("overwrite").asInt(),
                initial.equals(Liveness.Status.OFFLINE.word()));
        List<String> hosts = new ArrayList<>();
        if (kind == Kind.DEFINE || kind == Kind.DEFINE_OFFLINE) {
            JsonNode nodelist = context.path("R").path("execution").path("nodelist");
            nodelist.forEach(part -> hosts.add(wanted.only(part.asText())));
            kind = nodelist.isMissingNode() ? Kind.OTHER : kind;
        } else if (kind != Kind.OTHER && !context.path("nodelist").asText("").isEmpty()) {
            hosts.add(wanted.only(context.path("nodelist").asText()));
        }
        return new PastEvent(
                event.path("timestamp").asDouble(),
                kind,
                Hostlist.parse(hosts),
                switch (kind) {
                    case DRAIN, DRAIN_REASON, DRAIN_ANEW, UNDRAIN ->
                        context.path("holder").asText(Hold.SHARED);
                    case EXCLUDE, SHRINK, INCLUDE -> author(context.path("kind").asText());
                    default -> "";
                },
                switch (kind) {
                    case OFFLINE, TORPID, ONLINE -> context.path("cause").asText("");
                    case OTHER -> "";
                    default -> context.path("reason").asText("");
                },
                switch (kind) {
                    case DRAIN, DRAIN_REASON, DRAIN_ANEW ->
                        Purpose.of(
                                context.path("class").asText(""),
                                context.path("ticket").asText(""));
                    default -> Purpose.NONE;
                },
                Principal.author(context.path("planner").isObject() ? context.path("planner") : context),
                null);
    }

    /**
     * Returns the kind of the event with this name.
     *
     * @param overwrite RFC 44's number for the parts of a hold that a drain replaces
     * @param offline whether new hosts begin offline
     */
    private static Kind kind(String name, int overwrite, boolean offline) {
        return switch (name) {
            case "resource-define" -> offline ? Kind.DEFINE_OFFLINE : Kind.DEFINE;
            case "drain" ->
                switch (overwrite) {
                    case 1 -> Kind.DRAIN_REASON;
                    case 2 -> Kind.DRAIN_ANEW;
                    default -> Kind.DRAIN;
                };
            case "undrain" -> Kind.UNDRAIN;
            case "exclude" -> Kind.EXCLUDE;
            case "shrink" -> Kind.SHRINK;
            case "include" -> Kind.INCLUDE;
            case "offline" -> Kind.OFFLINE;
            case "torpid" -> Kind.TORPID;
            case "online", "lively" -> Kind.ONLINE;
            case ANNOTATE -> Kind.ANNOTATE;
            default -> Kind.OTHER;
        };
    }
}
