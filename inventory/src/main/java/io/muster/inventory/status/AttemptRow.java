package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Standing;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.WorkChanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a hold on one host, as a row of a table.
 *
 * @param detail what the state waits for, or the line of the last report; "" for none
 */
public record AttemptRow(String host, int rank, Hold hold, State state, String detail) {
    /** What an attempt waits for. */
    public enum State {
        /** The action waits until it is known that no job uses the host, and that the action can be proved. */
        BUSY,
        /** Somebody may claim the work. */
        OFFERED,
        CLAIMED,
        /** The action was not done. */
        FAILED,
        /** The action is done, and no check ends the hold. */
        DONE,
        /** A result of the check is awaited. */
        CHECK,
        CHECK_FAILED;

        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** The words of the states. */
    public static final List<String> WORDS =
            Arrays.stream(State.values()).map(State::word).toList();

    /** Longer than a reporter takes to notice a job that began just before the schedulers were sent the drain, in seconds. */
    private static final double SETTLE = 2;

    /**
     * Returns what claims depend on beside the state.
     *
     * @param needsBoot whether a boot id has to prove an action
     */
    public static WorkChanges.Facts facts(List<JobUsage> usage, Predicate<String> needsBoot) {
        return new WorkChanges.Facts() {
            @Override
            public String busy(int rank, double since) {
                String why = "nobody reports whether jobs use it";
                for (JobUsage each : usage) {
                    if (each.allocated().contains(rank)) {
                        return "jobs use it";
                    }
                    if (each.ranks().contains(rank)) {
                        boolean isNew = each.time() >= since + SETTLE;
                        why = isNew || why.isEmpty() ? "" : "the last report about jobs is from before the drain";
                    }
                }
                return why;
            }

            @Override
            public boolean needsBoot(String action) {
                return needsBoot.test(action);
            }
        };
    }

    /** Returns the attempts on ranks, in the order of the ranks. */
    public static List<AttemptRow> of(InventoryState state, Idset among, WorkChanges.Facts facts) {
        List<AttemptRow> rows = new ArrayList<>();
        state.holds().forEachIn(among, (first, last, set) -> {
            if (set.holds().stream().anyMatch(hold -> hold.attempt() > 0)) {
                Idset.range(first, last).forEach(rank -> add(rows, state, rank, set, facts));
            }
        });
        return rows;
    }

    private static void add(
            List<AttemptRow> rows, InventoryState state, int rank, HoldSet set, WorkChanges.Facts facts) {
        String host = state.resources().hostOf(rank);
        for (Hold hold : set.holds()) {
            if (hold.attempt() > 0) {
                Standing standing = hold.standing();
                String action = hold.purpose().action();
                boolean waits = standing == null && !action.isEmpty();
                String why = waits ? WorkChanges.objection(state, host, rank, hold, facts) : "";
                rows.add(new AttemptRow(
                        host,
                        rank,
                        hold,
                        waits ? (why.isEmpty() ? State.OFFERED : State.BUSY) : reached(hold),
                        standing == null ? why : standing.detail()));
            }
        }
    }

    private static State reached(Hold hold) {
        Standing standing = hold.standing();
        if (standing == null) {
            return State.CHECK;
        }
        return switch (standing.step()) {
            case CLAIMED -> State.CLAIMED;
            case FAILED -> State.FAILED;
            case DONE -> hold.purpose().check().isEmpty() ? State.DONE : State.CHECK;
            case CHECK_FAILED -> State.CHECK_FAILED;
        };
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("host", host).put("rank", rank).put("holder", hold.holder()).put("attempt", hold.attempt());
        json.put("action", nullable(hold.purpose().action()));
        json.put("check", nullable(hold.purpose().check()));
        json.put("state", state.word());
        Standing standing = hold.standing();
        json.put("since", Times.rfc3339(standing == null ? hold.since() : standing.since()));
        StateGroup.time(json, "until", standing == null ? 0 : standing.until());
        if (standing != null) {
            StateGroup.writeAuthor(json, standing.by());
        }
        return json.put("detail", detail);
    }

    private static @Nullable String nullable(String word) {
        return word.isEmpty() ? null : word;
    }
}
