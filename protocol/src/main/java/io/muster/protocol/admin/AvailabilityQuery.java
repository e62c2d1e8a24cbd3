package io.muster.protocol.admin;

import io.muster.inventory.history.Period;
import io.muster.inventory.history.Uptime;
import io.muster.inventory.json.Fields;
import org.jspecify.annotations.Nullable;

/**
 * A question about the availability of hosts.
 *
 * @param by what the rows are about; null for the total only
 * @param atLeast rows with fewer outages are left out
 * @param bars the number of equal parts of the period that are summed too
 */
public record AvailabilityQuery(Period period, Uptime.@Nullable By by, long atLeast, int bars) {
    public static final String TOPIC = "resource.availability";

    /** The highest number of bars. */
    public static final int MOST_BARS = 1000;

    public static AvailabilityQuery parse(Fields in) {
        return new AvailabilityQuery(
                PastQuery.period(in),
                in.has("by") ? in.choice("by", Uptime.By.class, Uptime.By::word) : null,
                in.has("at_least") ? in.integer("at_least", 0, Long.MAX_VALUE) : 0,
                in.has("bars") ? (int) in.integer("bars", 0, MOST_BARS) : 0);
    }
}
