package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.EXISTS;
import static io.muster.inventory.state.Decision.Rejection.Kind.HELD_BY_OTHER;
import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;
import static io.muster.inventory.state.Decision.Rejection.Kind.LIMIT;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        if (command instanceof Once.Repetition repetition) {
            return repetition.holder();
        }
        if (command instanceof Drain drain) {
            return drain.holder();
        }
        return command instanceof Undrain undrain && !undrain.everybody() ? undrain.holderName() : null;
    }

    /**
     * The command that places a hold on targets.
     *
     * @param holder {@link Hold#SHARED} or the name of a holder
     * @param until time at which the hold ends by itself; 0 for never
     * @param lasts seconds after which the hold ends by itself, in place of {@code until}; 0 for never
     */
    public record Drain(String targets, @Nullable String reason, Mode mode, String holder, double until, double lasts)
            implements Command {
        /** The highest number of holds that one user may have on a host, because every view of the host lists them all. */
        static final int MOST_BY_ONE = 64;

        public Drain(String targets, @Nullable String reason, Mode mode, String holder, double until) {
            this(targets, reason, mode, holder, until, 0);
        }

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            if (lasts != 0) {
                return new Drain(targets, reason, mode, holder, now + lasts).decide(state, now, by);
            }
            return Targets.resolve(state, targets, fault(now), ranks -> drain(state, ranks, now, by));
        }

        private @Nullable String fault(double now) {
            String reasonFault = Wording.fault("reason", reason);
            String wordingFault = reasonFault == null ? Hold.holderFault(holder) : reasonFault;
            return wordingFault == null ? untilFault(now) : wordingFault;
        }

        private @Nullable String untilFault(double now) {
            if (until == 0) {
                return null;
            }
            if (!(until <= Epoch.LAST)) {
                return "the end of the hold is not a date before the year 10000";
            }
            boolean future = until > now && Epoch.rounded(until) > now;
            return future ? null : "the end of the hold is not in the future";
        }

        private Decision drain(InventoryState state, Idset ranks, double now, Principal by) {
            Targets.bounded(ranks.intersect(state.holds().held()));
            Idset absent = state.membership().absent(ranks);
            Idset drained = state.holds().matching(ranks, holder, h -> h != null && h.reason() != null);
            boolean clash = mode == Mode.NONE && !drained.isEmpty();
            if (clash || !absent.isEmpty()) {
                return refuse(state, clash ? drained : Idset.EMPTY, absent);
            }
            Idset changed = ranks.subtract(unchanged(state, ranks, now, by));
            Idset protectedRanks = mode.forces()
                    ? Idset.EMPTY
                    : state.holds().matching(changed, holder, h -> h != null && !h.mayBeChangedBy(by));
            if (!protectedRanks.isEmpty()) {
                return Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, protectedRanks, holder));
            }
            Idset full = full(state, changed, by);
            if (!full.isEmpty()) {
                return Decision.reject(
                        LIMIT,
                        Targets.name(state, full) + ": " + by + " has " + MOST_BY_ONE
                                + " holds there already, and one user may have no more on a host: end some of them first");
            }
            return changed.isEmpty() ? Decision.accept() : Decision.accept(event(state, changed));
        }

        /** Returns the ranks on which another hold by this user would be one too many. */
        private Idset full(InventoryState state, Idset ranks, Principal by) {
            Idset.Builder full = Idset.builder();
            state.holds().forEachIn(ranks, (first, last, set) -> {
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
        private Idset unchanged(InventoryState state, Idset ranks, double now, Principal by) {
            Hold fresh = new Hold(holder, reason, now, by, Epoch.rounded(until));
            boolean silent = !mode.forces() && reason == null && until == 0;
            return state.holds()
                    .matching(
                            ranks,
                            holder,
                            h -> h != null
                                    && (silent
                                            || mode.overwrite().merge(h, fresh).says(h)));
        }

        private Event event(InventoryState state, Idset changed) {
            return new Drained(Targets.event(state, changed), reason, mode.overwrite(), holder, Epoch.rounded(until));
        }

        /**
         * Refuses the command with flux-core's sentence and error number: EEXIST if any rank is drained already, otherwise
         * EINVAL.
         */
        private static Decision refuse(InventoryState state, Idset drained, Idset absent) {
            List<String> faults = new ArrayList<>();
            if (!drained.isEmpty()) {
                faults.add("already drained");
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
     * @param until time at which the hold ends by itself; 0 for never
     * @param extras members that another version wrote and this version does not know
     */
    public record Drained(
            Event.Targets targets,
            @Nullable String reason,
            Overwrite overwrite,
            String holder,
            double until,
            Extras extras)
            implements Event.Targeted {
        public Drained(
                Event.Targets targets, @Nullable String reason, Overwrite overwrite, String holder, double until) {
            this(targets, reason, overwrite, holder, until, Extras.NONE);
        }

        @Override
        public String name() {
            return "drain";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeHold(out, targets, reason, overwrite, holder);
            if (until > 0) {
                Epoch.write(out, "until", until);
            }
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Hold fresh = new Hold(holder, reason, time, time, by, until, extras);
            return state.withHolds(h -> h.change(targets.ranks(), set -> {
                Hold existing = set == null ? null : set.of(holder);
                return HoldSet.with(set, existing == null ? fresh : overwrite.merge(existing, fresh));
            }));
        }
    }

    /**
     * The command that ends holds, also those of departed hosts: a hold that is no longer wanted must not stay until its host
     * returns.
     *
     * @param holder holder whose hold ends; null for the shared hold or, with mode FORCE_OVERWRITE, for the holds of all
     *     holders
     */
    public record Undrain(
            String targets,
            @Nullable String reason,
            Mode mode,
            @Nullable String holder) implements Command {
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
            Targets.bounded(found.ranks().intersect(state.holds().held()));
            Decision refusal = refusal(state, found.ranks(), by);
            refusal = refusal == null ? refusal(state, found.departed(), by) : refusal;
            if (refusal != null) {
                return refusal;
            }
            Idset held = everybody()
                    ? found.ranks().intersect(state.holds().held())
                    : state.holds().matching(found.ranks(), holderName(), h -> h != null);
            Hostlist heldDeparted = state.departed(
                    found.departed(),
                    departed -> everybody() ? departed.holds() != null : departed.holdOf(holderName()) != null);
            return held.isEmpty() && heldDeparted.isEmpty()
                    ? Decision.accept()
                    : Decision.accept(new Undrained(
                            Targets.event(state, held, heldDeparted),
                            reason,
                            mode.overwrite(),
                            everybody() ? Undrained.EVERYBODY : holderName()));
        }

        private @Nullable Decision refusal(InventoryState state, Idset ranks, Principal by) {
            Idset unheld = state.holds().matching(ranks, holderName(), h -> h == null);
            if (mode == Mode.NONE && !unheld.isEmpty()) {
                Idset heldByOthers = unheld.intersect(state.holds().held());
                return heldByOthers.isEmpty()
                        ? Decision.reject(EXISTS, Targets.say(state, unheld, "not drained"))
                        : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, heldByOthers, holderName()));
            }
            Idset protectedRanks = state.holds().matching(ranks, holderName(), h -> h != null && !h.mayBeChangedBy(by));
            return mode.forces() || protectedRanks.isEmpty()
                    ? null
                    : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, protectedRanks, holderName()));
        }

        private @Nullable Decision refusal(InventoryState state, Hostlist hosts, Principal by) {
            Hostlist unheld = state.departed(hosts, departed -> departed.holdOf(holderName()) == null);
            if (mode == Mode.NONE && !unheld.isEmpty()) {
                Hostlist heldByOthers = state.departed(unheld, departed -> departed.holds() != null);
                return heldByOthers.isEmpty()
                        ? Decision.reject(EXISTS, unheld + " (departed) not drained")
                        : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, heldByOthers, holderName()));
            }
            Hostlist protectedHosts = state.departed(hosts, departed -> {
                Hold hold = departed.holdOf(holderName());
                return hold != null && !hold.mayBeChangedBy(by);
            });
            return mode.forces() || protectedHosts.isEmpty()
                    ? null
                    : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, protectedHosts, holderName()));
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

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            boolean all = holder.equals(EVERYBODY);
            UnaryOperator<@Nullable HoldSet> lift =
                    set -> HoldSet.without(set, hold -> all || hold.holder().equals(holder));
            return state.withHolds(h -> h.change(targets.ranks(), lift))
                    .withDeparted(targets.departed(), departed -> departed.withHolds(lift.apply(departed.holds())));
        }
    }

    /** The command that ends the holds that have expired. The daemon itself issues it when a deadline passes. */
    public record LiftExpired() implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            List<Event> events = new ArrayList<>();
            for (Map.Entry<Hold, Idset> due : state.holds().expired(now).entrySet()) {
                events.add(new Undrained(
                        Event.Targets.of(state, due.getValue()),
                        "the hold ran out",
                        Overwrite.NOTHING,
                        due.getKey().holder()));
            }
            return new Decision(events, null);
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
            return this == REASON_AND_TIME
                    ? fresh
                    : existing.changedTo(fresh, fresh.until() > 0 ? fresh.until() : existing.until());
        }
    }

    private static void writeHold(
            JsonGenerator out, Event.Targets targets, @Nullable String reason, Overwrite overwrite, String holder)
            throws IOException {
        targets.write(out);
        Fields.writeOptional(out, "reason", reason);
        out.writeNumberField("overwrite", overwrite.number());
        out.writeStringField("holder", holder);
    }
}
