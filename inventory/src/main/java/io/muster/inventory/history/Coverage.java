package io.muster.inventory.history;

import io.muster.inventory.hostlist.Hostlist;

/**
 * What an answer about the past contains, and what may be missing.
 *
 * @param first the time of the first known event or state, in seconds since the epoch; 0 when nothing is known
 * @param since the time since which nothing is missing; the first event's if nothing is missing at all
 * @param whole whether nothing is missing because the known events begin with the first that ever happened
 * @param damage the first damage that was found; "" if there was none
 * @param unknown the hosts asked for that no known event, state or R names
 */
public record Coverage(double first, double since, boolean whole, String damage, Hostlist unknown) {
    /**
     * Whether nothing is missing in a period.
     *
     * @param from the beginning of the period; 0 asks for all that is known, which only damage can make incomplete
     */
    public boolean isComplete(double from) {
        return whole || (from > 0 ? since <= from : damage.isEmpty());
    }
}
