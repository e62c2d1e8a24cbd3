package io.muster.inventory.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.inventory.axis.Times;

/** The time of hosts in each standing, for each of some equal parts of a period. Adding a long time costs as little as a short one. */
final class Bars {
    private final int count;
    /** Milliseconds by part and standing. */
    private final long[][] millis;
    /** By part and standing, how many more hosts are in the standing during the whole part than during the part before. */
    private final long[][] whole;

    /** When each part begins, in milliseconds since the epoch, and the end of the last part. */
    private final long[] edges;

    private long since;
    private long until;
    private long lastTo = Long.MIN_VALUE;
    private int lastPart;

    Bars(int count) {
        this.count = count;
        this.edges = new long[count + 1];
        this.millis = new long[count][UptimeKind.values().length];
        this.whole = new long[count][UptimeKind.values().length];
    }

    void between(long from, long to) {
        since = from;
        until = Math.max(from, to);
        for (int part = 0; part <= count; part++) {
            edges[part] = since + (long) ((until - since) * (double) part / count);
        }
    }

    private int part(long time) {
        int part = (int) Math.min(count - 1L, (long) ((time - since) * (double) count / (until - since)));
        while (part > 0 && edges[part] > time) {
            part--;
        }
        while (part < count - 1 && edges[part + 1] <= time) {
            part++;
        }
        return part;
    }

    /** Adds the time of one host in the period. */
    void add(UptimeKind standing, long from, long to) {
        if (count == 0) {
            return;
        }
        int kind = standing.index();
        int first = part(from);
        if (to != lastTo) { // an event changes many hosts at once
            lastTo = to;
            lastPart = part(to);
        }
        int last = lastPart;
        if (first == last) {
            millis[first][kind] += to - from;
            return;
        }
        millis[first][kind] += edges[first + 1] - from;
        millis[last][kind] += to - edges[last];
        whole[first + 1][kind]++;
        whole[last][kind]--;
    }

    void finish() {
        long[] hosts = new long[UptimeKind.values().length];
        for (int part = 0; part < count; part++) {
            for (int kind = 0; kind < hosts.length; kind++) {
                hosts[kind] += whole[part][kind];
                millis[part][kind] += hosts[kind] * (edges[part + 1] - edges[part]);
            }
        }
    }

    ArrayNode toJson() {
        ArrayNode json = JsonNodeFactory.instance.arrayNode();
        for (int part = 0; part < count && until > since; part++) {
            json.addObject()
                    .put("since", Times.rfc3339(edges[part] / 1000.0))
                    .set("seconds", Uptime.seconds(millis[part]));
        }
        return json;
    }
}
