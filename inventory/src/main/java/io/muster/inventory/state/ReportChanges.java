package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.EXISTS;
import static io.muster.inventory.state.Decision.Rejection.Kind.HELD_BY_OTHER;
import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Report;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The commands that begin and end the reports of a reporter, which states whether its ranks are online, and the events that
 * they lead to.
 */
public final class ReportChanges {
    /** The highest number of reporters, lost ones included. */
    static final int MOST = 64;

    private ReportChanges() {}

    /**
     * Begins a report, and sets the liveness of its ranks as the reporter states it.
     *
     * @param online the ranks that are connected, torpid ones included; the other ranks are offline
     */
    public record Register(String reporter, Idset ranks, Idset online, Idset torpid) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            String fault = fault(state);
            Decision refusal = fault == null ? conflict(state, by) : Decision.reject(INVALID, fault);
            return refusal == null ? Targets.bounded(() -> new Decision(events(state), null)) : refusal;
        }

        private @Nullable String fault(InventoryState state) {
            String fault = Report.reporterFault(reporter);
            if (fault != null) {
                return fault;
            }
            int ranges = Math.max(ranks.rangeCount(), Math.max(online.rangeCount(), torpid.rangeCount()));
            if (ranges > Targets.MOST_RANGES) {
                return "the report has " + ranges + " separate ranges of ranks, but may have at most "
                        + Targets.MOST_RANGES;
            }
            if (ranks.isEmpty()) {
                return "the report names no rank";
            }
            String strangers = Event.Targets.strangers(state, ranks);
            if (strangers != null) {
                return "the report " + strangers;
            }
            if (!ranks.containsAll(online) || !online.containsAll(torpid)) {
                Idset wrong = online.subtract(ranks).union(torpid.subtract(online));
                return "the report must name every online rank in ranks, and every torpid rank in online: " + wrong;
            }
            return null;
        }

        private @Nullable Decision conflict(InventoryState state, Principal by) {
            Report own = state.liveness().reports().of(reporter);
            if (own == null && state.liveness().reports().all().size() >= MOST) {
                return Decision.reject(
                        INVALID,
                        MOST
                                + " reporters are known already: `muster online` or `muster offline` of its unknown hosts ends a"
                                + " lost one");
            }
            if (own != null && !own.isLapsed() && !own.by().isSamePerson(by)) {
                return Decision.reject(HELD_BY_OTHER, reporter + " belongs to " + own.by() + ": use another name");
            }
            for (Report other : state.liveness().reports().all()) {
                Idset shared = other.ranks().intersect(ranks);
                if (!other.isLapsed() && !other.reporter().equals(reporter) && !shared.isEmpty()) {
                    return Targets.bounded(() -> Decision.reject(
                            EXISTS,
                            other.reporter() + ", " + other.by() + ", reports for " + Targets.name(state, shared)
                                    + " since " + Times.rfc3339(other.since())
                                    + ": end that report, or report other ranks"));
                }
            }
            return null;
        }

        private List<Event> events(InventoryState state) {
            List<Event> events = new ArrayList<>();
            Liveness live = state.liveness();
            Report own = live.reports().of(reporter);
            boolean same = own != null && !own.isLapsed() && own.ranks().equals(ranks);
            if (!same) {
                events.add(new Reported(reporter, Targets.event(state, ranks), Extras.NONE));
            }
            String cause = "reported by " + reporter;
            add(events, state, LivenessChange.OFFLINE, ranks.subtract(online).intersect(live.connected()), cause);
            add(events, state, LivenessChange.ONLINE, online.subtract(torpid).subtract(live.online()), cause);
            add(events, state, LivenessChange.TORPID, torpid.subtract(live.torpid()), cause);
            return events;
        }

        private static void add(
                List<Event> events, InventoryState state, LivenessChange change, Idset ranks, String cause) {
            if (!ranks.isEmpty()) {
                events.add(new LivenessChanges.LivenessChanged(change, Targets.event(state, ranks), cause));
            }
        }
    }

    /** Ends a report, because the connection of the reporter has ended. */
    public record Lapse(String reporter) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            Report report = state.liveness().reports().of(reporter);
            return report == null || report.isLapsed()
                    ? Decision.accept()
                    : Decision.accept(new Lapsed(reporter, Event.Targets.of(state, report.ranks())));
        }
    }

    /**
     * The event that a reporter began to report these ranks.
     *
     * @param extras members that another version wrote and this version does not know
     */
    public record Reported(String reporter, Event.Targets targets, Extras extras) implements Event.Targeted {
        @Override
        public String name() {
            return "report";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            out.writeStringField("reporter", reporter);
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Report report = new Report(reporter, targets.ranks(), by, time, 0, extras);
            return state.withReports(reports -> reports.with(report));
        }
    }

    /** The event that a reporter was lost, so that the liveness of these ranks is unknown. */
    public record Lapsed(String reporter, Event.Targets targets) implements Event.Targeted {
        @Override
        public String name() {
            return "lapse";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            out.writeStringField("reporter", reporter);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withReports(reports -> reports.lapse(reporter, time));
        }
    }
}
