package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.EXISTS;
import static io.muster.inventory.state.Decision.Rejection.Kind.HELD_BY_OTHER;
import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;
import static io.muster.inventory.state.Decision.Rejection.Kind.STALE;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Boot;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Standing;
import io.muster.inventory.axis.Standing.Step;
import io.muster.inventory.axis.Times;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The commands about the work that holds ask for, and the event of each step of an attempt. An attempt is claimed once at most. When a claim
 * runs out, the hold is another attempt, so that nothing that is reported late counts.
 */
public final class WorkChanges {
    public static final double USUAL_LEASE = 1800;
    private static final double SHORTEST_LEASE = 10;
    private static final double LONGEST_LEASE = 7 * 86_400;

    private WorkChanges() {}

    /** What the state lacks for the decision about a claim. */
    public interface Facts {
        /** Knows nothing. */
        Facts NONE = new Facts() {
            @Override
            public String busy(int rank, double since) {
                return "nobody reports whether jobs use it";
            }

            @Override
            public boolean needsBoot(String action) {
                return true;
            }
        };

        /**
         * Returns why it is not known that no job uses a host; "" if it is known.
         *
         * @param since when the host was drained
         */
        String busy(int rank, double since);

        /** Returns whether another boot id has to prove an action. */
        boolean needsBoot(String action);
    }

    /** Returns what an attempt waits for. */
    static String stage(Hold hold) {
        Standing standing = hold.standing();
        if (standing == null) {
            return "nobody has claimed it";
        }
        String detail = standing.detail().isEmpty() ? "" : ": " + standing.detail();
        return switch (standing.step()) {
            case CLAIMED -> standing.by() + " has claimed it until " + Times.rfc3339(standing.until());
            case DONE -> standing.by() + " has done it" + detail;
            case FAILED ->
                standing.by() + " has failed to do it" + detail + "; drain the host again for another attempt";
            case CHECK_FAILED -> "it is done, and the check failed" + detail;
        };
    }

    /** Returns why the work of an attempt is not offered yet; "" if it is. */
    public static String objection(InventoryState state, String host, int rank, Hold hold, Facts facts) {
        String busy = facts.busy(rank, hold.since());
        boolean isUnproved = facts.needsBoot(hold.purpose().action()) && state.bootOf(host) == null;
        return busy.isEmpty() && isUnproved
                ? "a boot id proves it, and " + host
                        + " has reported none: run `muster check-node` on it, with a certificate or a token of this host"
                : busy;
    }

    /**
     * Claims the work of an attempt.
     *
     * @param lasts seconds until the claim ends
     */
    public record ClaimWork(String host, long attempt, double lasts, Facts facts) implements Command {
        public ClaimWork(String host, long attempt, double lasts) {
            this(host, attempt, lasts, Facts.NONE);
        }

        public ClaimWork with(Facts known) {
            return new ClaimWork(host, attempt, lasts, known);
        }

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            if (!(lasts >= SHORTEST_LEASE && lasts <= LONGEST_LEASE)) {
                return Decision.reject(INVALID, "the lease of a claim is 10 s to 7 days");
            }
            return CheckChanges.find(
                    state, host, attempt, CheckChanges.Wanted.action("the claim"), found -> decide(state, now, found));
        }

        private Decision decide(InventoryState state, double now, CheckChanges.Attempt found) {
            Hold hold = found.hold();
            String action = hold.purpose().action();
            String work = "the action " + action + " on " + host + ", attempt " + attempt + ", cannot be claimed: ";
            if (hold.standing() != null) {
                boolean claimed = hold.standing().step() == Step.CLAIMED;
                return Decision.reject(claimed ? HELD_BY_OTHER : EXISTS, work + stage(hold));
            }
            String objection = objection(state, host, found.ranks().first(), hold, facts);
            if (!objection.isEmpty()) {
                return Decision.reject(EXISTS, work + objection);
            }
            Boot boot = facts.needsBoot(action) ? state.bootOf(host) : null;
            return Decision.accept(new Worked(
                    Event.Targets.of(state, found.ranks()),
                    hold.holder(),
                    attempt,
                    Step.CLAIMED.word(),
                    0,
                    new Terms(Epoch.rounded(now + lasts), boot == null ? "" : boot.id(), ""),
                    Extras.NONE));
        }
    }

    /**
     * Reports what came of claimed work.
     *
     * @param detail one line; "" for none
     */
    public record ReportWork(String host, long attempt, boolean done, String detail) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            String fault = Wording.fault("detail", detail);
            return fault != null
                    ? Decision.reject(INVALID, fault)
                    : CheckChanges.find(
                            state,
                            host,
                            attempt,
                            CheckChanges.Wanted.action("the report"),
                            found -> decide(state, now, by, found));
        }

        private Decision decide(InventoryState state, double now, Principal by, CheckChanges.Attempt found) {
            Hold hold = found.hold();
            Standing claim = hold.standing();
            String work = "the action " + hold.purpose().action() + " on " + host + ", attempt " + attempt;
            if (claim == null || claim.step() != Step.CLAIMED) {
                return Decision.reject(EXISTS, work + ", is not claimed now: " + stage(hold));
            }
            if (!claim.by().isSamePerson(by)) {
                return Decision.reject(
                        HELD_BY_OTHER, work + ": " + claim.by() + " has claimed it, and nobody else reports about it");
            }
            if (claim.until() <= now) {
                return Decision.reject(
                        STALE,
                        work + ": the claim ended at " + Times.rfc3339(claim.until()) + ", so the report is late");
            }
            String unproved = done ? unproved(state, claim) : null;
            if (unproved != null) {
                return Decision.reject(EXISTS, work + ", is not proved: " + unproved);
            }
            String step = done ? Step.DONE.word() : Step.FAILED.word();
            return Decision.accept(Worked.of(Event.Targets.of(state, found.ranks()), hold, step, detail));
        }

        /** Returns why the boot ids do not prove that the host was booted since the claim; null if nothing has to be proved. */
        private @Nullable String unproved(InventoryState state, Standing claim) {
            Boot boot = state.bootOf(host);
            boolean proved = claim.boot().isEmpty()
                    || (boot != null && !boot.id().equals(claim.boot()) && boot.since() >= claim.since());
            return proved
                    ? null
                    : host + " has reported no other boot id since the claim than " + claim.boot()
                            + ": let it run `muster check-node`, and report again";
        }
    }

    /**
     * What a step of an attempt has beside its name.
     *
     * @param until when the claim ends; 0 for none
     * @param boot the boot id before the claim; "" if none has to prove anything
     * @param detail the line of the report; "" for none
     */
    public record Terms(double until, String boot, String detail) {
        static final Terms NONE = new Terms(0, "", "");
    }

    /**
     * The event of a step of an attempt.
     *
     * @param step the word of a {@link Step}, {@link #LAPSED} or {@link #PASSED}
     * @param next the number of the next attempt, after the claim ran out; 0 in every other step
     * @param extras members that another version wrote and this version does not know
     */
    public record Worked(
            Event.Targets targets, String holder, long attempt, String step, long next, Terms terms, Extras extras)
            implements Event.Targeted {
        /** The claim ran out. */
        static final String LAPSED = "lapsed";
        /** The check passed. The hold ends with the next event. */
        static final String PASSED = "passed";

        static Worked of(Event.Targets targets, Hold hold, String step, String detail) {
            return new Worked(targets, hold.holder(), hold.attempt(), step, 0, new Terms(0, "", detail), Extras.NONE);
        }

        /** The claims of hosts that were made at the same time run out. */
        static Worked lapsed(Event.Targets targets, Hold hold, long next) {
            return new Worked(targets, hold.holder(), hold.attempt(), LAPSED, next, Terms.NONE, Extras.NONE);
        }

        static Worked read(Event.Targets targets, Fields in, Extras extras) {
            return new Worked(
                    targets,
                    in.text("holder"),
                    in.integer("attempt", 1, Long.MAX_VALUE),
                    in.text("step"),
                    in.has("next") ? in.integer("next", 1, Long.MAX_VALUE) : 0,
                    new Terms(Epoch.instantOr(in, "until", 0), in.textOr("boot", ""), in.textOr("detail", "")),
                    extras);
        }

        @Override
        public String name() {
            return "attempt";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            out.writeStringField("holder", holder);
            out.writeNumberField("attempt", attempt);
            out.writeStringField("step", step);
            if (next > 0) {
                out.writeNumberField("next", next);
            }
            Standing.writeTerms(out, terms.until, terms.boot, terms.detail);
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Step last = Step.of(step);
            Standing standing =
                    last == null ? null : new Standing(last, by, time, terms.until, terms.boot, terms.detail);
            InventoryState after = state.withHolds(holds -> holds.change(targets.ranks(), set -> {
                Hold hold = set == null ? null : set.of(holder);
                return hold == null || hold.attempt() != attempt
                        ? set
                        : HoldSet.with(set, hold.at(next == 0 ? attempt : next, standing));
            }));
            return next == 0 ? after : after.withAttempt(next);
        }
    }
}
