package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.EXISTS;
import static io.muster.inventory.state.Decision.Rejection.Kind.HELD_BY_OTHER;
import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;
import static io.muster.inventory.state.Decision.Rejection.Kind.LIMIT;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Holds;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The commands that start and end holds, and the events that they lead to. */
public final class HoldChanges {
    private HoldChanges() {}

    /** Returns the holder whose holds a command places or ends; null if these are the holds of all holders, or no holds. */
    public static @Nullable String holderOf(Command command) {
        if (command instanceof Once once) {
            return holderOf(once.command());
        }
        if (command instanceof Expected expected) {
            return holderOf(expected.command());
        }
        if (command instanceof Once.Repetition repetition) {
            return repetition.holder();
        }
        if (command instanceof Drain drain) {
            return drain.holder();
        }
        return command instanceof Undrain undrain && !undrain.everybody() ? undrain.holderName() : null;
    }

    /** Returns what the hold is for that a command places. */
    public static Purpose purposeOf(Command command) {
        if (command instanceof Once once) {
            return purposeOf(once.command());
        }
        Command inner = command instanceof Expected expected ? expected.command() : command;
        return inner instanceof Drain drain ? drain.purpose() : Purpose.NONE;
    }

    /**
     * The command that places a hold on targets.
     *
     * @param holder {@link Hold#SHARED} or the name of a holder
     * @param from time at which the hold begins; 0 for now
     * @param until time at which the hold ends by itself; 0 for never
     * @param lasts seconds after its beginning after which the hold ends by itself, in place of {@code until}; 0 for never
     */
    public record Drain(
            String targets,
            @Nullable String reason,
            Mode mode,
            String holder,
            double from,
            double until,
            double lasts,
            Purpose purpose)
            implements Command {
        /** The highest number of holds that one user may have on a host, because every view of the host lists them all. */
        static final int MOST_BY_ONE = 64;

        /** How far ahead a hold may be planned, and how long it may last until its end: a later date is a mistake. */
        static final int MOST_YEARS = 5;

        private static final double YEAR = 366 * 86_400.0;

        public Drain(String targets, @Nullable String reason, Mode mode, String holder, double until) {
            this(targets, reason, mode, holder, 0, until, 0, Purpose.NONE);
        }

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            if (lasts != 0) {
                double end = (from == 0 ? now : from) + lasts;
                return new Drain(targets, reason, mode, holder, from, end, 0, purpose).decide(state, now, by);
            }
            return Targets.resolve(state, targets, fault(now), ranks -> drain(state, ranks, now, by));
        }

        private @Nullable String fault(double now) {
            String reasonFault = Wording.fault("reason", reason);
            String wordingFault = reasonFault == null ? Hold.holderFault(holder) : reasonFault;
            wordingFault = wordingFault == null ? purpose.fault() : wordingFault;
            wordingFault = wordingFault == null && from != 0 ? fromFault(now) : wordingFault;
            return wordingFault == null && until != 0 ? untilFault(now) : wordingFault;
        }

        private @Nullable String fromFault(double now) {
            if (!(from > now) || Epoch.rounded(Math.min(from, Epoch.LAST)) <= now) {
                return "the beginning of the hold is not in the future: without it, the hold begins now";
            }
            if (from > now + MOST_YEARS * YEAR) {
                return "the beginning of the hold is more than " + MOST_YEARS + " years ahead: check the year";
            }
            return until == 0 || until > from ? null : "the hold ends before it begins: check both times";
        }

        private @Nullable String untilFault(double now) {
            if (!(until <= Epoch.LAST)) {
                return "the end of the hold is not a date before the year 10000";
            }
            if (until > Math.max(now, from) + MOST_YEARS * YEAR) {
                return "the hold lasts more than " + MOST_YEARS + " years: check the year, or give no end";
            }
            boolean future = until > now && Epoch.rounded(until) > now;
            return future ? null : "the end of the hold is not in the future";
        }

        private Decision drain(InventoryState state, Idset ranks, double now, Principal by) {
            Holds holds = from == 0 ? state.holds() : state.plans();
            Targets.bounded(ranks.intersect(holds.held()));
            Idset absent = state.membership().absent(ranks);
            Idset drained = holds.matching(ranks, holder, h -> h != null && h.reason() != null);
            boolean clash = mode == Mode.NONE && !drained.isEmpty();
            if (clash || !absent.isEmpty()) {
                return refuse(state, clash ? drained : Idset.EMPTY, absent);
            }
            Idset changed = ranks.subtract(unchanged(holds, ranks, now, by));
            Idset protectedRanks = mode.forces()
                    ? Idset.EMPTY
                    : holds.matching(changed, holder, h -> h != null && !h.mayBeChangedBy(by));
            if (!protectedRanks.isEmpty()) {
                return Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, holds, protectedRanks, holder));
            }
            Idset full = full(holds, changed, by);
            if (!full.isEmpty()) {
                return Decision.reject(
                        LIMIT,
                        Targets.name(state, full) + ": " + by + " has " + MOST_BY_ONE
                                + " holds there already, and one user may have no more on a host: end some of them first");
            }
            return changed.isEmpty() ? Decision.accept() : Decision.accept(event(state, changed));
        }

        /** Returns the ranks on which another hold by this user would be one too many. */
        private Idset full(Holds holds, Idset ranks, Principal by) {
            Idset.Builder full = Idset.builder();
            holds.forEachIn(ranks, (first, last, set) -> {
                Hold own = set.of(holder);
                if ((own == null || !own.by().isSamePerson(by)) && set.countOf(by) >= MOST_BY_ONE) {
                    full.addRange(first, last);
                }
            });
            return full.build();
        }

        /**
         * Returns the ranks on which the holder already has a hold that this request does not change. A request that neither
         * forces nor adds a reason or an end does not change the author either.
         */
        private Idset unchanged(Holds holds, Idset ranks, double now, Principal by) {
            Hold fresh = new Hold(
                    holder,
                    reason,
                    now,
                    now,
                    by,
                    Epoch.rounded(from),
                    Epoch.rounded(until),
                    purpose,
                    0,
                    null,
                    Extras.NONE);
            boolean silent =
                    !mode.forces() && reason == null && from == 0 && until == 0 && purpose.equals(Purpose.NONE);
            return holds.matching(
                    ranks,
                    holder,
                    h -> h != null
                            && (silent || mode.overwrite().merge(h, fresh).says(h)));
        }

        private Event event(InventoryState state, Idset changed) {
            Event.Targets to = Targets.event(state, changed);
            double end = Epoch.rounded(until);
            if (from != 0) {
                return new PlanChanges.Planned(
                        to, reason, mode.overwrite(), holder, Epoch.rounded(from), end, purpose, Extras.NONE);
            }
            long attempt = purpose.isAttempt() ? state.attempts() + 1 : 0;
            return new Drained(to, reason, mode.overwrite(), holder, null, 0, end, purpose, attempt, Extras.NONE);
        }

        /**
         * Refuses the command with flux-core's sentence and error number: EEXIST if any rank is drained already, otherwise
         * EINVAL.
         */
        private Decision refuse(InventoryState state, Idset drained, Idset absent) {
            List<String> faults = new ArrayList<>();
            if (!drained.isEmpty()) {
                faults.add(from == 0 ? "already drained" : "already planned to be drained");
            }
            if (absent.intersects(state.membership().excluded())) {
                faults.add("excluded");
            }
            if (absent.intersects(state.membership().lost())) {
                faults.add("lost");
            }
            return Decision.reject(
                    drained.isEmpty() ? INVALID : EXISTS,
                    Targets.say(state, drained.union(absent), String.join(" or ", faults)));
        }
    }

    /**
     * The event of RFC 44 {@code drain}.
     *
     * @param overwrite what happens to an existing hold: see {@link Overwrite}
     * @param planner the author of the hold if a planned hold begins, which the daemon places; otherwise null
     * @param from time at which the hold was planned to begin, if a planned hold begins; 0 otherwise
     * @param until time at which the hold ends by itself; 0 for never
     * @param attempt number of the attempt; 0 for a hold without check and action
     * @param extras members that another version wrote and this version does not know
     */
    public record Drained(
            Event.Targets targets,
            @Nullable String reason,
            Overwrite overwrite,
            String holder,
            @Nullable Principal planner,
            double from,
            double until,
            Purpose purpose,
            long attempt,
            Extras extras)
            implements Event.Targeted {
        public Drained(
                Event.Targets targets, @Nullable String reason, Overwrite overwrite, String holder, double until) {
            this(targets, reason, overwrite, holder, null, 0, until, Purpose.NONE, 0, Extras.NONE);
        }

        @Override
        public String name() {
            return "drain";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeHold(out, targets, reason, overwrite, holder);
            Hold.writeTerms(out, from, until, purpose, attempt);
            if (planner != null) {
                planner.writeIn(out, "planner");
            }
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Principal author = planner == null ? by : planner;
            Hold fresh = new Hold(holder, reason, time, time, author, from, until, purpose, attempt, null, extras);
            InventoryState next = state.withHolds(h -> h.change(targets.ranks(), set -> {
                Hold existing = set == null ? null : set.of(holder);
                return HoldSet.with(set, existing == null ? fresh : merge(existing, fresh));
            }));
            next = attempt == 0 ? next : next.withAttempt(attempt);
            return planner == null
                    ? next
                    : PlanChanges.without(next, targets, plan -> plan.holder().equals(holder));
        }

        private Hold merge(Hold existing, Hold fresh) {
            return planner == null ? overwrite.merge(existing, fresh) : existing.joined(fresh);
        }
    }

    /**
     * The command that ends holds, also those of departed hosts: a hold that is no longer wanted must not stay until its host
     * returns.
     *
     * @param holder holder whose hold ends; null for the shared hold or, with mode FORCE_OVERWRITE, for the holds of all
     *     holders
     * @param planned whether planned holds are cancelled, in place of ending holds that have begun
     */
    public record Undrain(
            String targets,
            @Nullable String reason,
            Mode mode,
            @Nullable String holder,
            boolean planned) implements Command {
        public Undrain(String targets, @Nullable String reason, Mode mode, @Nullable String holder) {
            this(targets, reason, mode, holder, false);
        }

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolveWithDeparted(state, targets, fault(), found -> undrain(state, found, by));
        }

        private @Nullable String fault() {
            String reasonFault = Wording.fault("reason", reason);
            return reasonFault == null && holder != null ? Hold.holderFault(holder) : reasonFault;
        }

        private boolean everybody() {
            return holder == null && mode == Mode.FORCE_OVERWRITE;
        }

        private String holderName() {
            return holder == null ? Hold.SHARED : holder;
        }

        private Decision undrain(InventoryState state, Targets.Found found, Principal by) {
            Holds holds = planned ? state.plans() : state.holds();
            Targets.bounded(found.ranks().intersect(holds.held()));
            Decision refusal = refusal(state, found.ranks(), by);
            refusal = refusal == null ? refusal(state, found.departed(), by) : refusal;
            if (refusal != null) {
                return refusal;
            }
            Idset held = everybody()
                    ? found.ranks().intersect(holds.held())
                    : holds.matching(found.ranks(), holderName(), h -> h != null);
            Hostlist heldDeparted = state.departed(
                    found.departed(), departed -> everybody() ? holdsOf(departed) != null : holdOf(departed) != null);
            if (held.isEmpty() && heldDeparted.isEmpty()) {
                return Decision.accept();
            }
            Event.Targets to = Targets.event(state, held, heldDeparted);
            String whose = everybody() ? Undrained.EVERYBODY : holderName();
            return Decision.accept(
                    planned
                            ? new PlanChanges.Unplanned(to, reason, whose, Extras.NONE)
                            : new Undrained(to, reason, mode.overwrite(), whose));
        }

        private @Nullable HoldSet holdsOf(Departed departed) {
            return planned ? departed.plans() : departed.holds();
        }

        private @Nullable Hold holdOf(Departed departed) {
            HoldSet holds = holdsOf(departed);
            return holds == null ? null : holds.of(holderName());
        }

        private String unheld() {
            return planned ? "not planned to be drained" : "not drained";
        }

        private @Nullable Decision refusal(InventoryState state, Idset ranks, Principal by) {
            Holds holds = planned ? state.plans() : state.holds();
            Idset unheld = holds.matching(ranks, holderName(), h -> h == null);
            if (mode == Mode.NONE && !unheld.isEmpty()) {
                Idset heldByOthers = unheld.intersect(holds.held());
                return heldByOthers.isEmpty()
                        ? Decision.reject(EXISTS, Targets.say(state, unheld, unheld()))
                        : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, holds, heldByOthers, holderName()));
            }
            Idset protectedRanks = holds.matching(ranks, holderName(), h -> h != null && !h.mayBeChangedBy(by));
            return mode.forces() || protectedRanks.isEmpty()
                    ? null
                    : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, holds, protectedRanks, holderName()));
        }

        private @Nullable Decision refusal(InventoryState state, Hostlist hosts, Principal by) {
            Hostlist unheld = state.departed(hosts, departed -> holdOf(departed) == null);
            if (mode == Mode.NONE && !unheld.isEmpty()) {
                Hostlist heldByOthers = state.departed(unheld, departed -> holdsOf(departed) != null);
                return heldByOthers.isEmpty()
                        ? Decision.reject(EXISTS, unheld + " (departed) " + unheld())
                        : heldByOther(state, heldByOthers);
            }
            Hostlist protectedHosts = state.departed(hosts, departed -> {
                Hold hold = holdOf(departed);
                return hold != null && !hold.mayBeChangedBy(by);
            });
            return mode.forces() || protectedHosts.isEmpty() ? null : heldByOther(state, protectedHosts);
        }

        private Decision heldByOther(InventoryState state, Hostlist hosts) {
            Departed first = state.departed().get(hosts.nth(0));
            HoldSet holds = first == null ? null : holdsOf(first);
            return Decision.reject(HELD_BY_OTHER, Targets.heldByOther(hosts, holds, holderName()));
        }
    }

    /**
     * The event of RFC 44 {@code undrain}.
     *
     * @param holder holder whose hold ends, or {@link #EVERYBODY}
     */
    public record Undrained(Event.Targets targets, @Nullable String reason, Overwrite overwrite, String holder)
            implements Event.Targeted {
        public static final String EVERYBODY = "*";

        @Override
        public String name() {
            return "undrain";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeHold(out, targets, reason, overwrite, holder);
        }

        /** After a person's undrain, or the end of a hold that a policy placed, policies do nothing more about the absences before. */
        private InventoryState settled(InventoryState state, Principal by) {
            Idset.Builder ranks = Idset.builder();
            state.holds().forEachIn(targets.ranks(), (first, last, set) -> {
                if (by.isKnownToKernel() || set.holds().stream().anyMatch(this::endsHoldOfPolicy)) {
                    ranks.addRange(first, last);
                }
            });
            return state.withLiveness(live -> live.settle(ranks.build()));
        }

        private boolean endsHoldOfPolicy(Hold hold) {
            return isOf(hold) && hold.by().equals(Principal.DAEMON);
        }

        private boolean isOf(Hold hold) {
            return holder.equals(EVERYBODY) || hold.holder().equals(holder);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            UnaryOperator<@Nullable HoldSet> lift = set -> HoldSet.without(set, this::isOf);
            return settled(state, by)
                    .withHolds(h -> h.change(targets.ranks(), lift))
                    .withDeparted(targets.departed(), departed -> departed.withHolds(lift.apply(departed.holds())));
        }
    }

    /** How a drain treats targets that are drained already (flux-core's {@code mode}). */
    public enum Mode {
        /** Refuse the request if any target is drained already. */
        NONE,
        /** Leave targets that have a reason unchanged. */
        UPDATE,
        /** Replace the reason. */
        OVERWRITE,
        /** Replace the reason and the time of the hold. */
        FORCE_OVERWRITE;

        Overwrite overwrite() {
            return switch (this) {
                case NONE, UPDATE -> Overwrite.NOTHING;
                case OVERWRITE -> Overwrite.REASON;
                case FORCE_OVERWRITE -> Overwrite.REASON_AND_TIME;
            };
        }

        boolean forces() {
            return this == OVERWRITE || this == FORCE_OVERWRITE;
        }
    }

    /** The parts of a hold that a drain or undrain overwrites, with the numbers of RFC 44's {@code overwrite}. */
    public enum Overwrite {
        /** An existing reason stays, a missing reason is filled in. */
        NOTHING(0),
        /** The reason is replaced, the time of the hold stays. */
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
            return this == REASON_AND_TIME ? fresh : existing.changedTo(fresh);
        }
    }

    static void writeHold(
            JsonGenerator out, Event.Targets targets, @Nullable String reason, Overwrite overwrite, String holder)
            throws IOException {
        targets.write(out);
        Fields.writeOptional(out, "reason", reason);
        out.writeNumberField("overwrite", overwrite.number());
        out.writeStringField("holder", holder);
    }
}
