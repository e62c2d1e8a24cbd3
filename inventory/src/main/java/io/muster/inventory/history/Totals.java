package io.muster.inventory.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Times;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Adds up how long hosts were unavailable, grouped by one property of the intervals, such as the reason. {@code muster
 * report} shows these totals.
 */
public final class Totals {
    private final By by;
    private final Period period;
    private final Map<String, Sum> sums = new LinkedHashMap<>();

    /** The property by which intervals are grouped. */
    public enum By {
        REASON,
        HOST,
        HOLDER,
        USER,
        STATE,
        CLASS,
        TICKET;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The total of all intervals that have the value {@code key} in the property. */
    public static final class Sum {
        private final String key;
        private final Set<String> hosts = new LinkedHashSet<>();
        private long times;
        private double seconds;
        private double longest;
        private long open;

        private Sum(String key) {
            this.key = key;
        }

        public String key() {
            return key;
        }

        public int nodes() {
            return hosts.size();
        }

        public long times() {
            return times;
        }

        /** Returns the number of intervals that have not ended. */
        public long open() {
            return open;
        }

        public double seconds() {
            return seconds;
        }

        public double mean() {
            return seconds / times;
        }

        public double longest() {
            return longest;
        }
    }

    public Totals(By by, Period period) {
        this.by = by;
        this.period = period;
    }

    public void add(Outage interval, List<String> hosts) {
        double seconds = interval.within(period.since(), period.until());
        for (String host : hosts) {
            Sum sum = sums.computeIfAbsent(key(interval, host), Sum::new);
            sum.hosts.add(host);
            sum.times++;
            sum.seconds += seconds;
            sum.longest = Math.max(sum.longest, seconds);
            sum.open += interval.isOpen() ? 1 : 0;
        }
    }

    private String key(Outage interval, String host) {
        return switch (by) {
            case REASON -> interval.reason();
            case HOST -> host;
            case HOLDER -> interval.holder();
            case USER -> interval.by().replace(Principal.PAGE, "");
            case STATE -> interval.kind().word();
            case CLASS -> interval.purpose().category();
            case TICKET -> interval.purpose().ticket();
        };
    }

    /** Returns the totals, largest first. */
    public List<Sum> sums() {
        List<Sum> all = new ArrayList<>(sums.values());
        all.sort(Comparator.comparingDouble(Sum::seconds).reversed());
        return all;
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("by", by.word());
        json.put("since", Times.rfc3339(period.since())).put("until", Times.rfc3339(period.until()));
        ArrayNode all = json.putArray("totals");
        for (Sum sum : sums()) {
            all.addObject()
                    .put(by.word(), sum.key)
                    .put("nnodes", sum.nodes())
                    .put("times", sum.times)
                    .put("open", sum.open)
                    .put("total_seconds", Math.rint(sum.seconds))
                    .put("mean_seconds", Math.rint(sum.mean()))
                    .put("longest_seconds", Math.rint(sum.longest));
        }
        return json;
    }
}
