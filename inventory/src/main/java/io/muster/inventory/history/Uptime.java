package io.muster.inventory.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Times;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
            .reversed()
            .thenComparing(sum -> sum.key);

    private final long since;
    private final long until;
    private final Rows rows;
    private final List<String> classes = new ArrayList<>();
    private final Map<String, Sum> sums = new HashMap<>();
    private final Sum total = new Sum("");
    private final Bars bars;
    private int count;
    /** What is known about each host, by its number. */
    private int[] codes = new int[64];

    private long[] from = new long[64];
    private Host[] hosts = new Host[64];
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

    /** The present outage or maintenance of a host, as far as it is in the period. */
    private static final class Run {
        private boolean counted;
        private boolean planned;
        private long length;

        private void reset() {
            counted = false;
            length = 0;
        }
    }

    /** What is known about one host, and the sums to which the host contributes. */
    private static final class Host {
        private final List<Sum> sums;
        private final Run run = new Run();
        /** The part of the run with the present class. */
        private final Run ofClass = new Run();

        private boolean seen;
        private boolean out;
        private long outSince;
        private int holdClass;

        private Host(List<Sum> sums) {
            this.sums = sums;
        }
    }

    /** The sums of one row, in milliseconds. */
    private static final class Sum {
        private final String key;
        private final long[] millis = new long[STANDINGS.length];
        /** The hosts of a class, whose number cannot be counted otherwise. */
        private final BitSet ofClass = new BitSet();

        private int nodes;
        private long outages;
        private long open;
        private long earlier;
        private long longest;
        private long planned;

        private Sum(String key) {
            this.key = key;
        }

        private long out() {
            return Arrays.stream(STANDINGS)
                    .filter(UptimeKind::isOutage)
                    .mapToLong(each -> millis[each.index()])
                    .sum();
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
        if (count == codes.length) {
            codes = Arrays.copyOf(codes, 2 * count);
            from = Arrays.copyOf(from, 2 * count);
            hosts = Arrays.copyOf(hosts, 2 * count);
        }
        List<String> keys = rows.by() == By.HOST
                ? List.of(name)
                : rows.by() == null || rows.by() == By.CLASS
                        ? List.of()
                        : rows.groups().apply(name);
        hosts[count++] = new Host(keys.stream().map(this::sum).toList());
    }

    private Sum sum(String key) {
        return sums.computeIfAbsent(key, Sum::new);
    }

    @Override
    public void holdClass(String name) {
        classes.add(name);
    }

    /** Returns the number of hosts, which is a measure of the memory in use. */
    public int hosts() {
        return count;
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
                change(hosts[host], code, time);
                codes[host] = code;
                from[host] = time;
            }
        }
    }

    private static void change(Host host, int code, long time) {
        UptimeKind next = code == UptimeKind.ABSENT ? null : UptimeKind.of(code);
        if (next != null && next.isUnclear()) {
            return;
        }
        boolean out = next != null && next.isOutage();
        if (!out || !host.out) {
            host.run.reset();
            host.ofClass.reset();
            host.outSince = time;
        }
        host.out = out;
        host.run.planned &= next == UptimeKind.PLANNED;
        host.ofClass.planned &= next == UptimeKind.PLANNED;
    }

    /** Adds the time since the last change of a host. */
    private void charge(int number, long time) {
        long start = Math.max(from[number], since);
        long millis = Math.min(time, until) - start;
        if (codes[number] == UptimeKind.ABSENT || millis <= 0) {
            return;
        }
        Host host = hosts[number];
        UptimeKind standing = UptimeKind.of(codes[number]);
        if (rows.by() == By.CLASS && (standing.isOutage() || standing == UptimeKind.PLANNED)) {
            int holdClass = UptimeKind.holdClass(codes[number]);
            if (host.holdClass != holdClass) {
                host.ofClass.reset();
                host.ofClass.planned = false;
                host.holdClass = holdClass;
            }
            Sum sum = ofClass(holdClass);
            sum.ofClass.set(number);
            sum.nodes = sum.ofClass.cardinality();
            add(sum, host, host.ofClass, standing, millis);
            went(host.ofClass, standing, millis);
        }
        for (Sum sum : host.sums) {
            sum.nodes += host.seen ? 0 : 1;
            add(sum, host, host.run, standing, millis);
        }
        total.nodes += host.seen ? 0 : 1;
        add(total, host, host.run, standing, millis);
        went(host.run, standing, millis);
        bars.add(standing, start, start + millis);
        host.seen = true;
    }

    private Sum ofClass(int holdClass) {
        return sum(holdClass == 0 ? "" : classes.get(holdClass - 1));
    }

    private void add(Sum sum, Host host, Run run, UptimeKind standing, long millis) {
        sum.millis[standing.index()] += millis;
        if (standing.isOutage()) {
            if (!run.counted) {
                sum.outages++;
                sum.earlier += host.outSince <= Math.max(since, begin) ? 1 : 0;
            }
            sum.longest = Math.max(sum.longest, run.length + millis);
        } else if (standing == UptimeKind.PLANNED && !run.planned) {
            sum.planned++;
        }
    }

    private static void went(Run run, UptimeKind standing, long millis) {
        run.counted |= standing.isOutage();
        run.length += standing.isOutage() ? millis : 0;
        run.planned |= standing == UptimeKind.PLANNED;
    }

    /** Ends the period. */
    public void finish() {
        for (int number = 0; number < count; number++) {
            charge(number, Long.MAX_VALUE);
            Host host = hosts[number];
            if (host.out && host.run.counted) {
                host.sums.forEach(sum -> sum.open++);
                total.open++;
            }
            if (host.out && host.ofClass.counted) {
                ofClass(host.holdClass).open++;
            }
        }
        bars.finish();
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
        double up = sum.millis[UptimeKind.AVAILABLE.index()] / 1000.0;
        json.put("mtbf_seconds", none ? null : Math.rint(up / sum.outages));
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
