package io.muster.inventory.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Times;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sums how long hosts were in each standing within a period, and counts their outages. An outage is a time in which a host was out and
 * nobody had planned it. A time in which the standing is unclear neither begins nor ends an outage, and is not part of its length.
 * {@code muster report --availability} shows these sums.
 */
public final class Uptime implements Tracker.Sink {
    private static final UptimeKind[] STANDINGS = UptimeKind.values();
    private static final Comparator<Sum> WORST = Comparator.<Sum>comparingLong(sum -> sum.out())
            .thenComparingLong(sum -> sum.outages)
            .reversed();

    private final long since;
    private final long until;
    private final Rows rows;
    private final HostTimes hosts = new HostTimes();
    private final List<String> classes = new ArrayList<>();
    /** The run of each host with its present class; empty unless rows are about classes. */
    private final List<Run> runs = new ArrayList<>();

    /** In the order of the hosts, which are known in the order of their ranks. */
    private final Map<String, Sum> sums = new LinkedHashMap<>();

    private final Sum total = new Sum("");
    private final Bars bars;
    /** What is known about each host, by its number. */
    private int[] codes = new int[64];

    private long[] from = new long[64];
    /** When the record begins; {@code Long.MAX_VALUE} before the first move. */
    private long begin = Long.MAX_VALUE;

    /** What a row of a report is about. */
    public enum By {
        RACK,
        CLASS,
        QUEUE,
        HOST;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The rows and bars of a report.
     *
     * @param by null for the total only
     * @param groups returns the racks or queues of a host; not used for other rows
     * @param atLeast rows with fewer outages are left out
     * @param bars the number of equal parts of the period that are summed too; 0 for none
     */
    public record Rows(@Nullable By by, Function<String, List<String>> groups, long atLeast, int bars) {}

    /** The part of the present outage or maintenance of a host that has one class of holds, as far as it is in the period. */
    private static final class Run {
        private int holdClass;
        private boolean counted;
        private boolean planned;
        private long length;

        private void reset() {
            counted = false;
            length = 0;
        }
    }

    /** The sums of one row, in milliseconds. */
    private static final class Sum {
        private final String key;
        private final long[] millis = new long[STANDINGS.length];
        /** The hosts of a class, whose number cannot be counted otherwise; null for other rows. */
        private final @Nullable BitSet ofClass;

        private int nodes;
        private long outages;
        private long open;
        private long earlier;
        private long longest;
        private long planned;

        private Sum(String key) {
            this(key, null);
        }

        private Sum(String key, @Nullable BitSet ofClass) {
            this.key = key;
            this.ofClass = ofClass;
        }

        private void add(HostTimes hosts, int host) {
            nodes++;
            for (UptimeKind each : STANDINGS) {
                millis[each.index()] += hosts.millis(host, each);
            }
            outages += hosts.outages(host);
            open += hosts.isOpen(host) ? 1 : 0;
            earlier += hosts.earlier(host);
            longest = Math.max(longest, hosts.longest(host));
            planned += hosts.planned(host);
        }

        private long out() {
            long out = 0;
            for (UptimeKind each : STANDINGS) {
                out += each.isOutage() ? millis[each.index()] : 0;
            }
            return out;
        }

        private long recorded() {
            return Arrays.stream(millis).sum() - millis[UptimeKind.UNRECORDED.index()];
        }
    }

    /** @param period its end must not be after the last move that will come */
    public Uptime(Period period, Rows rows) {
        this.since = Tracker.millis(period.since());
        this.until = Tracker.millis(period.until());
        this.rows = rows;
        this.bars = new Bars(rows.bars());
    }

    @Override
    public void host(String name) {
        if (hosts.count() == codes.length) {
            codes = Arrays.copyOf(codes, 2 * codes.length);
            from = Arrays.copyOf(from, 2 * from.length);
        }
        hosts.add(name);
        if (rows.by() == By.CLASS) {
            runs.add(new Run());
        }
    }

    @Override
    public void holdClass(String name) {
        classes.add(name);
    }

    /** Returns the number of hosts, which is a measure of the memory in use. */
    public int hosts() {
        return hosts.count();
    }

    @Override
    public void move(long time, int code, int first, int last) {
        if (begin == Long.MAX_VALUE) {
            begin = time;
            bars.between(Math.max(since, time), until);
        }
        for (int host = first; host <= last && time < until; host++) {
            if (codes[host] != code) {
                charge(host, time);
                change(host, code, time);
                codes[host] = code;
                from[host] = time;
            }
        }
    }

    private void change(int host, int code, long time) {
        UptimeKind next = code == UptimeKind.ABSENT ? null : UptimeKind.of(code);
        Run run = runs.isEmpty() ? null : runs.get(host);
        if (next != UptimeKind.PLANNED && next != UptimeKind.UNRECORDED) {
            hosts.endPlanned(host);
            if (run != null) {
                run.planned = false;
            }
        }
        if (next != null && next.isUnclear()) {
            return;
        }
        boolean out = next != null && next.isOutage();
        if (run != null && (!out || !hosts.isOut(host))) {
            run.reset();
        }
        hosts.change(host, out, time);
    }

    /** Adds the time since the last change of a host. */
    private void charge(int host, long time) {
        long start = Math.max(from[host], since);
        long millis = Math.min(time, until) - start;
        if (codes[host] == UptimeKind.ABSENT || millis <= 0) {
            return;
        }
        UptimeKind standing = UptimeKind.of(codes[host]);
        long period = Math.max(since, begin);
        if (!runs.isEmpty() && (standing.isOutage() || standing == UptimeKind.PLANNED)) {
            addToClass(host, standing, millis, hosts.outSince(host) <= period);
        }
        hosts.add(host, standing, millis, period);
        bars.add(standing, start, start + millis);
    }

    private void addToClass(int host, UptimeKind standing, long millis, boolean earlier) {
        Run run = runs.get(host);
        int holdClass = UptimeKind.holdClass(codes[host]);
        if (run.holdClass != holdClass) {
            run.reset();
            run.planned = false;
            run.holdClass = holdClass;
        }
        Sum sum = ofClass(holdClass);
        BitSet all = Objects.requireNonNull(sum.ofClass);
        sum.nodes += all.get(host) ? 0 : 1;
        all.set(host);
        sum.millis[standing.index()] += millis;
        if (standing.isOutage()) {
            sum.outages += run.counted ? 0 : 1;
            sum.earlier += !run.counted && earlier ? 1 : 0;
            run.counted = true;
            run.length += millis;
            sum.longest = Math.max(sum.longest, run.length);
        } else {
            sum.planned += run.planned ? 0 : 1;
            run.planned = true;
        }
    }

    private Sum ofClass(int holdClass) {
        String name = holdClass == 0 ? "" : classes.get(holdClass - 1);
        return sums.computeIfAbsent(name, each -> new Sum(each, new BitSet()));
    }

    /** Ends the period. */
    public void finish() {
        for (int host = 0; host < hosts.count(); host++) {
            charge(host, Long.MAX_VALUE);
            if (hosts.isSeen(host)) {
                total.add(hosts, host);
                for (String key : keys(hosts.name(host))) {
                    sums.computeIfAbsent(key, Sum::new).add(hosts, host);
                }
                if (!runs.isEmpty() && hosts.isOut(host) && runs.get(host).counted) {
                    ofClass(runs.get(host).holdClass).open++;
                }
            }
        }
        bars.finish();
    }

    private List<String> keys(String host) {
        By by = rows.by();
        if (by == null || by == By.CLASS) {
            return List.of();
        }
        return by == By.HOST ? List.of(host) : rows.groups().apply(host);
    }

    private Stream<Sum> shown() {
        return sums.values().stream().filter(sum -> sum.nodes > 0 && sum.outages >= rows.atLeast());
    }

    /** Returns the number of rows, which is a measure of the length of the document. */
    public long rows() {
        return rows.by() == null ? 0 : shown().count();
    }

    /** @return the sums: {@code {by, since, until, total, rows, bars}} */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        By by = rows.by();
        json.put("by", by == null ? null : by.word());
        long start = Math.max(since, begin == Long.MAX_VALUE ? 0 : begin);
        json.put("since", start == 0 ? null : Times.rfc3339(start / 1000.0));
        json.put("until", Times.rfc3339(until / 1000.0));
        json.set("total", toJson(total));
        ArrayNode all = json.putArray("rows");
        if (by != null) {
            shown().sorted(WORST)
                    .forEach(sum -> all.add(JsonNodeFactory.instance
                            .objectNode()
                            .put(by.word(), sum.key)
                            .setAll(toJson(sum))));
        }
        return json.set("bars", bars.toJson());
    }

    private static ObjectNode toJson(Sum sum) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("nnodes", sum.nodes).put("host_seconds", sum.recorded() / 1000.0);
        json.set("seconds", seconds(sum.millis));
        json.put("outages", sum.outages).put("open", sum.open).put("earlier", sum.earlier);
        boolean none = sum.outages == 0;
        boolean noUp = none || sum.ofClass != null; // a row about a class has no time in which hosts were available
        double up = sum.millis[UptimeKind.AVAILABLE.index()] / 1000.0;
        json.put("mtbf_seconds", noUp ? null : Math.rint(up / sum.outages));
        json.put("mttr_seconds", none ? null : Math.rint(sum.out() / 1000.0 / sum.outages));
        return json.put("longest_seconds", sum.longest / 1000.0).put("planned_times", sum.planned);
    }

    static ObjectNode seconds(long[] millis) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        for (UptimeKind each : STANDINGS) {
            json.put(each.word(), millis[each.index()] / 1000.0);
            if (each == UptimeKind.AVAILABLE) {
                json.putNull("allocated"); // the journal does not have which hosts jobs used
            }
        }
        return json;
    }
}
