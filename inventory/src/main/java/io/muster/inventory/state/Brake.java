package io.muster.inventory.state;

import io.muster.inventory.axis.Holds;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the hosts that programs drain within a time. Holds of the last {@code window} seconds count, on hosts that schedulers may be
 * offered, so the count falls when holds end and when time passes.
 *
 * @param holder the holders whose holds count: a name, or the beginning of names and {@code *}
 * @param percent the limit as a share of the hosts; one host is always permitted. 0 if the limit is {@code hosts}
 * @param hosts the limit as a number of hosts
 */
public record Brake(String holder, double percent, int hosts, double window) {
    /** Returns the first brake beyond which holds on further ranks go, as the refusal of the whole command; null if there is none. */
    static Decision.@Nullable Rejection refusal(
            List<Brake> brakes, InventoryState state, String holder, Idset ranks, double now) {
        for (Brake brake : brakes) {
            Idset added =
                    brake.covers(holder) ? ranks.subtract(brake.held(state, Double.NEGATIVE_INFINITY)) : Idset.EMPTY;
            if (!added.isEmpty() && added.size() > brake.room(state, now)) {
                String rest = added.size()
                        + " more are absent or came back in that time: the network is more likely the cause than the hosts;"
                        + " the policy drains absent hosts when at most " + brake.room(state, now) + " are";
                return brake.rejection(state, rest, now);
            }
        }
        return null;
    }

    /** Returns the refusal of a change that leads from one state to another; null if it drains no further host, or is within the brakes. */
    static Decision.@Nullable Rejection refusal(
            List<Brake> brakes, InventoryState state, InventoryState after, double now) {
        for (Brake brake : brakes) {
            Idset fresh = brake.held(after, Double.NEGATIVE_INFINITY)
                    .subtract(brake.held(state, Double.NEGATIVE_INFINITY))
                    .intersect(after.members());
            Idset counted = brake.counted(after, now);
            if (!fresh.isEmpty() && counted.size() > brake.most(state)) {
                int added = counted.subtract(brake.counted(state, now)).size();
                String rest = "this is " + added + " more, of which " + brake.room(state, now)
                        + " would fit: look why so many are to be drained; a user of the daemon's host may drain them now, and the"
                        + " program when there is room again";
                return brake.rejection(state, rest, now);
            }
        }
        return null;
    }

    private Decision.Rejection rejection(InventoryState state, String rest, double now) {
        String limit = percent == 0 ? limit() + " hosts" : limit() + " of the hosts (" + most(state) + ")";
        String sentence = "nothing was drained: the brake on " + holder + " permits " + limit + " in "
                + Times.span(window) + ", " + counted(state, now).size() + " are used, and " + rest;
        return new Decision.Rejection(Decision.Rejection.Kind.BRAKED, sentence, holder);
    }

    /** Returns whether the brake is for holds of this holder. */
    public boolean covers(String name) {
        return holder.endsWith("*") ? name.startsWith(holder.substring(0, holder.length() - 1)) : name.equals(holder);
    }

    /** Returns the limit as the configuration has it: {@code 5%} or {@code 40}. */
    public String limit() {
        boolean isWhole = percent == Math.rint(percent);
        return percent == 0 ? Integer.toString(hosts) : (isWhole ? Long.toString((long) percent) : percent) + "%";
    }

    /** Returns the limit as a number of hosts. */
    public int most(InventoryState state) {
        return percent == 0 ? hosts : Math.max(1, (int) (state.members().size() * percent / 100));
    }

    /** Returns how many further hosts may be drained. */
    public int room(InventoryState state, double now) {
        return Math.max(0, most(state) - counted(state, now).size());
    }

    /** Returns the ranks that count. */
    public Idset counted(InventoryState state, double now) {
        return held(state, now - window).intersect(state.members());
    }

    /** Returns the ranks with a hold that was placed after this time, or is planned. */
    private Idset held(InventoryState state, double after) {
        Idset.Builder held = Idset.builder();
        add(held, state.holds(), after);
        add(held, state.plans(), Double.NEGATIVE_INFINITY);
        return held.build();
    }

    private void add(Idset.Builder to, Holds holds, double after) {
        holds.forEachIn(holds.held(), (first, last, set) -> {
            if (set.holds().stream().anyMatch(hold -> hold.since() > after && covers(hold.holder()))) {
                to.addRange(first, last);
            }
        });
    }
}
