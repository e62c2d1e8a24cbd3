package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What happens to holds by time: planned holds begin and holds end. {@link HoldChanges.Drain} plans a hold, and {@link
 * HoldChanges.Undrain} cancels it.
 */
public final class PlanChanges {
    private PlanChanges() {}

    /**
     * The event that a holder plans a hold. A planned hold keeps no host from being scheduled, and one host may have a planned and a
     * placed hold of the same holder. When the planned hold begins, an event {@code drain} with its {@code from} follows.
     *
     * @param overwrite what happens to an existing plan of the holder
     */
    public record Planned(
            Event.Targets targets,
            @Nullable String reason,
            HoldChanges.Overwrite overwrite,
            String holder,
            double from,
            double until,
            Purpose purpose,
            Extras extras)
            implements Event.Targeted {
        @Override
        public String name() {
            return "plan";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            HoldChanges.writeHold(out, targets, reason, overwrite, holder);
            Hold.writeTerms(out, from, until, purpose, 0);
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Hold fresh = new Hold(holder, reason, time, time, by, from, until, purpose, 0, null, extras);
            return state.withPlans(plans -> plans.change(targets.ranks(), set -> {
                Hold existing = set == null ? null : set.of(holder);
                return HoldSet.with(set, existing == null ? fresh : overwrite.merge(existing, fresh));
            }));
        }
    }

    /**
     * The event that planned holds will not begin: a user has cancelled them, or the daemon says why it did not place them.
     *
     * @param holder holder of the planned holds, or {@link HoldChanges.Undrained#EVERYBODY}
     */
    public record Unplanned(Event.Targets targets, @Nullable String reason, String holder, Extras extras)
            implements Event.Targeted {
        @Override
        public String name() {
            return "unplan";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            Fields.writeOptional(out, "reason", reason);
            out.writeStringField("holder", holder);
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            boolean all = holder.equals(HoldChanges.Undrained.EVERYBODY);
            return without(state, targets, plan -> all || plan.holder().equals(holder));
        }
    }

    /**
     * The event that hosts are not back at the end of their hold: the hold has a check that did not pass, or the host is not online. A hold
     * with a check stays, and has no end any more but the result of its check.
     */
    public record Overran(Event.Targets targets, String reason, String holder, Extras extras)
            implements Event.Targeted {
        @Override
        public String name() {
            return "overrun";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            out.writeStringField("reason", reason);
            out.writeStringField("holder", holder);
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withHolds(holds -> holds.change(targets.ranks(), set -> {
                Hold hold = set == null ? null : set.of(holder);
                return hold == null ? set : HoldSet.with(set, hold.until(0));
            }));
        }
    }

    /** Returns the state without the planned holds that match. */
    static InventoryState without(InventoryState state, Event.Targets targets, Predicate<Hold> cancelled) {
        UnaryOperator<@Nullable HoldSet> cancel = set -> HoldSet.without(set, cancelled);
        return state.withPlans(plans -> plans.change(targets.ranks(), cancel))
                .withDeparted(targets.departed(), departed -> departed.withPlans(cancel.apply(departed.plans())));
    }

    /**
     * The command that ends the holds and claims whose end has come, and begins the planned holds whose time has come. The daemon itself issues it
     * when a deadline passes. A planned hold leaves the plans in the change that places it, so it is placed once.
     *
     * @param last planned holds that are to begin later than at this time are left to the next command, because {@code objection} does not
     *     know them
     * @param objection returns why a planned hold is not placed, such as that its author has lost the right; null if it is
     */
    public record MeetDeadlines(double last, Function<Hold, @Nullable String> objection) implements Command {
        /** Returns the command for authors that may place the holds which they planned. */
        public MeetDeadlines() {
            this(Epoch.LAST, hold -> null);
        }

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            List<Event> events = new ArrayList<>();
            long attempts = state.attempts();
            for (Map.Entry<Hold, Idset> due : state.holds().due(now).entrySet()) {
                Hold hold = due.getKey();
                if (hold.until() > 0 && hold.until() <= now) {
                    end(events, state, hold, due.getValue());
                }
                if (hold.hasLapsed(now) && !hold.expiredAt(now)) {
                    attempts++;
                    events.add(WorkChanges.Worked.lapsed(Event.Targets.of(state, due.getValue()), hold, attempts));
                }
            }
            for (Map.Entry<Hold, Idset> due :
                    state.plans().due(Math.min(now, last)).entrySet()) {
                Hold plan = due.getKey();
                String objection = plan.until() > 0 && plan.until() <= now
                        ? "its end has passed before it could begin"
                        : this.objection.apply(plan);
                Idset lost = due.getValue().intersect(state.membership().lost());
                Idset ranks = objection == null ? due.getValue().subtract(lost) : Idset.EMPTY;
                if (!ranks.isEmpty()) {
                    attempts += plan.purpose().isAttempt() ? 1 : 0;
                    events.add(begin(state, plan, ranks, plan.purpose().isAttempt() ? attempts : 0));
                }
                skip(events, state, plan, due.getValue().subtract(ranks), objection == null ? "lost" : objection);
            }
            departed(state, Math.min(now, last))
                    .forEach((plan, hosts) -> events.add(new Unplanned(
                            Event.Targets.of(state, Idset.EMPTY, Hostlist.of(hosts)),
                            "R did not name the host when the hold was to begin",
                            plan.holder(),
                            Extras.NONE)));
            return new Decision(events, null);
        }

        private static void end(List<Event> events, InventoryState state, Hold hold, Idset ranks) {
            String check = hold.purpose().check();
            if (check.isEmpty()) {
                events.add(new HoldChanges.Undrained(
                        Event.Targets.of(state, ranks),
                        "the hold ran out",
                        HoldChanges.Overwrite.NOTHING,
                        hold.holder()));
            }
            Idset late = check.isEmpty() ? ranks.subtract(state.liveness().online()) : ranks;
            if (!late.isEmpty() && (!check.isEmpty() || hold.from() > 0)) {
                String reason = check.isEmpty() ? "not online at the end of the hold" : "waits for the check " + check;
                events.add(new Overran(Event.Targets.of(state, late), reason, hold.holder(), Extras.NONE));
            }
        }

        private static Event begin(InventoryState state, Hold plan, Idset ranks, long attempt) {
            return new HoldChanges.Drained(
                    Event.Targets.of(state, ranks),
                    plan.reason(),
                    HoldChanges.Overwrite.NOTHING,
                    plan.holder(),
                    plan.by(),
                    plan.from(),
                    plan.until(),
                    plan.purpose(),
                    attempt,
                    plan.extras());
        }

        private static void skip(List<Event> events, InventoryState state, Hold plan, Idset ranks, String why) {
            if (!ranks.isEmpty()) {
                events.add(new Unplanned(Event.Targets.of(state, ranks), why, plan.holder(), Extras.NONE));
            }
        }

        /** Returns the hosts that R no longer names, by the planned holds that begin now. */
        private static Map<Hold, List<String>> departed(InventoryState state, double now) {
            Map<Hold, List<String>> due = new LinkedHashMap<>();
            state.departed().forEach((host, data) -> {
                for (Hold plan : plansOf(data)) {
                    if (plan.from() <= now) {
                        due.computeIfAbsent(plan, p -> new ArrayList<>()).add(host);
                    }
                }
            });
            return due;
        }
    }

    private static List<Hold> plansOf(Departed departed) {
        HoldSet plans = departed.plans();
        return plans == null ? List.of() : plans.holds();
    }

    /** Returns the earliest time at which a planned hold on a host that R no longer names would begin; 0 if there is none. */
    public static double nextOfDeparted(InventoryState state) {
        double next = 0;
        for (Departed departed : state.departed().values()) {
            for (Hold plan : plansOf(departed)) {
                next = next == 0 ? plan.from() : Math.min(next, plan.from());
            }
        }
        return next;
    }
}
