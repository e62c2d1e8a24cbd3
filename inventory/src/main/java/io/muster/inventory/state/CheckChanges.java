package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.EXISTS;
import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;
import static io.muster.inventory.state.Decision.Rejection.Kind.STALE;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Boot;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.axis.Standing.Step;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.WorkChanges.Worked;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The commands with which hosts report: results of checks and boot ids. */
public final class CheckChanges {
    private CheckChanges() {}

    /** Returns the host about which a command reports; null if it is another command. */
    public static @Nullable String hostOf(Command command) {
        if (command instanceof Once once) {
            return hostOf(once.command());
        }
        return command instanceof ReportCheck result
                ? result.host
                : command instanceof ReportBoot report ? report.host : null;
    }

    /** Returns the purpose of the hold that a result would end, if no hold on its host has this purpose; {@link Purpose#NONE} otherwise. */
    public static Purpose missed(Command command, InventoryState state) {
        if (command instanceof Once once) {
            return missed(once.command(), state);
        }
        return command instanceof ReportCheck result && !result.isAwaited(state)
                ? new Purpose("", "", result.check, "")
                : Purpose.NONE;
    }

    /** Returns whether only the host itself may send the command. */
    public static boolean isOfHostItself(Command command) {
        return (command instanceof Once once ? once.command() : command) instanceof ReportBoot;
    }

    /** The hold of an attempt on a host. */
    record Attempt(Idset ranks, Hold hold) {}

    /**
     * The attempts that a request could be about.
     *
     * @param request such as "the result"
     * @param awaited what their holds wait for, such as "the check nhc"
     */
    record Wanted(String request, String awaited, Predicate<Hold> holds) {
        /** Returns the attempts whose holds ask for an action. */
        static Wanted action(String request) {
            return new Wanted(
                    request, "an action", hold -> !hold.purpose().action().isEmpty());
        }
    }

    /** Makes the decision about an attempt. */
    interface Choice {
        Decision of(Attempt attempt);
    }

    /** Finds the hold with an attempt of this number, and returns the decision of {@code then} about it. */
    static Decision find(InventoryState state, String host, long number, Wanted wanted, Choice then) {
        Idset ranks = state.resources().ranksOf(host);
        if (ranks.isEmpty()) {
            return Decision.reject(INVALID, "there is no host " + host);
        }
        HoldSet set = state.holds().on(ranks.first());
        List<String> others = new ArrayList<>();
        for (Hold hold : set == null ? List.<Hold>of() : set.holds()) {
            if (hold.purpose().isAttempt() && wanted.holds.test(hold)) {
                if (hold.attempt() == number) {
                    Idset held = state.holds()
                            .matching(ranks, hold.holder(), each -> each != null && each.attempt() == number);
                    return then.of(new Attempt(held, hold));
                }
                others.add(hold.attempt() + " (hold " + hold.holder() + ")");
            }
        }
        return others.isEmpty()
                ? Decision.reject(
                        EXISTS,
                        wanted.request + " is about no hold: no hold on " + host + " waits for " + wanted.awaited
                                + "; it was lifted or never placed")
                : Decision.reject(
                        STALE,
                        wanted.request + " is of attempt " + number + " on " + host + ", and the attempt is "
                                + String.join(", ", others) + " now: ask for it with `muster work list " + host + "`");
    }

    /**
     * Reports the result of a check. The result {@code ok} ends the hold whose attempt it is about, and no other hold.
     *
     * @param detail one line; "" for none
     */
    public record ReportCheck(String host, String check, long attempt, boolean ok, String detail) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            String fault = Wording.fault("detail", detail);
            return fault != null
                    ? Decision.reject(INVALID, fault)
                    : find(
                            state,
                            host,
                            attempt,
                            new Wanted(
                                    "the result of " + check,
                                    "the check " + check,
                                    hold -> hold.purpose().check().equals(check)),
                            found -> decide(state, found));
        }

        private boolean isAwaited(InventoryState state) {
            Idset ranks = state.resources().ranksOf(host);
            HoldSet set = ranks.isEmpty() ? null : state.holds().on(ranks.first());
            return set != null
                    && set.holds().stream()
                            .anyMatch(hold -> hold.purpose().check().equals(check));
        }

        private Decision decide(InventoryState state, Attempt found) {
            Hold hold = found.hold;
            Step step = hold.standing() == null ? null : hold.standing().step();
            String action = hold.purpose().action();
            boolean isActed = action.isEmpty() || step == Step.DONE || step == Step.CHECK_FAILED;
            if (!isActed) {
                return Decision.reject(
                        EXISTS,
                        "the result of " + check + " on " + host + " counts after the action " + action + " of attempt "
                                + attempt + " is done: " + WorkChanges.stage(hold));
            }
            Event.Targets targets = Event.Targets.of(state, found.ranks);
            if (!ok) {
                return Decision.accept(Worked.of(targets, hold, Step.CHECK_FAILED.word(), detail));
            }
            return Decision.accept(
                    Worked.of(targets, hold, Worked.PASSED, detail),
                    new HoldChanges.Undrained(
                            targets,
                            check + " passed" + (detail.isEmpty() ? "" : ": " + detail),
                            HoldChanges.Overwrite.NOTHING,
                            hold.holder()));
        }
    }

    /** Reports the boot id of a host. */
    public record ReportBoot(String host, String boot) implements Command {
        private static final int LONGEST = 64;

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            Idset ranks = state.resources().ranksOf(host);
            String fault = Hold.wordFault("boot", boot, LONGEST);
            if (ranks.isEmpty() || fault != null) {
                return Decision.reject(INVALID, fault == null ? "there is no host " + host : fault);
            }
            Boot last = state.bootOf(host);
            return last != null && last.id().equals(boot)
                    ? Decision.accept()
                    : Decision.accept(new Booted(Event.Targets.of(state, ranks), boot));
        }
    }

    /** The event that a host has reported another boot id. */
    public record Booted(Event.Targets targets, String boot) implements Event.Targeted {
        @Override
        public String name() {
            return "boot";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            out.writeStringField("boot", boot);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withBoot(state.resources().hostOf(targets.ranks().first()), new Boot(boot, time));
        }
    }
}
