package io.muster.inventory.feasibility;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Decides whether supplies can cover demands if each demand may use only some of the supplies: a maximum flow by shortest
 * augmenting paths. There are few supplies (kinds of node) and demands (items of a request), but amounts may be large.
 */
final class SupplyFlow {
    private final long[] supplies;
    private final long[] demands;
    private final long[][] flow;
    private final boolean[][] allowed;
    private boolean[] competing = {};

    /** @param allowed whether a demand may use a supply, indexed by demand, then by supply */
    SupplyFlow(long[] supplies, long[] demands, boolean[][] allowed) {
        this.supplies = supplies.clone();
        this.demands = demands.clone();
        this.allowed = allowed;
        this.flow = new long[demands.length][supplies.length];
    }

    /** Returns whether every demand can be covered. After true, {@link #flow} says which supplies cover which demand. */
    boolean covers() {
        for (int d = 0; d < demands.length; d++) {
            while (demands[d] > 0) {
                if (!augment(d)) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Returns whether the demand is one of the demands that together ask for more than all the supplies that they may use.
     * May be called after {@link #covers} has returned false.
     */
    boolean isCompeting(int demand) {
        return competing[demand];
    }

    /**
     * Searches a path from demand {@code start}, through supplies and through demands that can switch to another supply, to
     * a supply of which some is left.
     */
    private boolean augment(int start) {
        int[] supplyFrom = new int[supplies.length];
        int[] demandFrom = new int[demands.length];
        Arrays.fill(supplyFrom, -1);
        Arrays.fill(demandFrom, -1);
        Deque<Integer> queue = new ArrayDeque<>();
        queue.add(start);
        while (!queue.isEmpty()) {
            int d = queue.remove();
            for (int s = 0; s < supplies.length; s++) {
                if (!allowed[d][s] || supplyFrom[s] >= 0) {
                    continue;
                }
                supplyFrom[s] = d;
                if (supplies[s] > 0) {
                    push(start, s, supplyFrom, demandFrom);
                    return true;
                }
                for (int other = 0; other < demands.length; other++) {
                    if (flow[other][s] > 0 && demandFrom[other] < 0 && other != start) {
                        demandFrom[other] = s;
                        queue.add(other);
                    }
                }
            }
        }
        competing = new boolean[demands.length];
        for (int d = 0; d < demands.length; d++) {
            competing[d] = d == start || demandFrom[d] >= 0;
        }
        return false;
    }

    private void push(int start, int last, int[] supplyFrom, int[] demandFrom) {
        long amount = Math.min(demands[start], supplies[last]);
        for (int s = last; supplyFrom[s] != start; s = demandFrom[supplyFrom[s]]) {
            amount = Math.min(amount, flow[supplyFrom[s]][demandFrom[supplyFrom[s]]]);
        }
        supplies[last] -= amount;
        demands[start] -= amount;
        int s = last;
        while (true) {
            int d = supplyFrom[s];
            flow[d][s] += amount;
            if (d == start) {
                return;
            }
            s = demandFrom[d];
            flow[d][s] -= amount;
        }
    }
}
