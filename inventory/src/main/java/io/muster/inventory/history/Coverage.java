package io.muster.inventory.history;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.rset.TargetException;

/**
 * The part of the past that an answer covers, and the data that may be missing in the answer.
 *
 * @param first the time of the first known event or state, in seconds since the epoch; 0 when nothing is known
 * @param since the time since which nothing is missing; the time of the first event if nothing is missing at all
 * @param whole whether nothing is missing, and the known events begin with the first event that ever happened
 * @param damage the first damage that was found; "" if there was none
 * @param unknown the hosts asked for that no known event, state or R names
 */
public record Coverage(double first, double since, boolean whole, String damage, Hostlist unknown) {
    /** @throws TargetException if something is known, and neither R nor a known event names a host that was asked for */
    public void requireKnown() {
        if (first > 0 && !unknown.isEmpty()) {
            throw unknown.stream().anyMatch(name -> name.matches("[-0-9]+"))
                    ? TargetException.mixed(unknown)
                    : TargetException.neverNamed(unknown);
        }
    }

    /**
     * Returns whether nothing is missing in a period.
     *
     * @param from the beginning of the period; 0 asks for all known events, which only damage can make incomplete
     */
    public boolean isComplete(double from) {
        return whole || (from > 0 ? since <= from : damage.isEmpty());
    }

    /** @param from the beginning of the period, as in {@link #isComplete} */
    public ObjectNode toJson(double from) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("complete_since", since == 0 ? null : Times.rfc3339(since));
        json.put("damage", damage.isEmpty() ? null : damage);
        return json.put("complete", isComplete(from));
    }
}
