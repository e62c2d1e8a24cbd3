package io.muster.daemon.past;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.history.UptimeKind;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.StateGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Computes the availability of hosts again from every state, by the words that people read about a host. */
final class NaiveUptime {
    /** A time in which a host was the same, in milliseconds; null while the host is not in R. */
    private record Span(long from, long to, @Nullable UptimeKind standing) {}

    private final Map<String, List<Span>> spans = new TreeMap<>();

    /** The sums of one host. */
    static final class Sum {
        final Map<UptimeKind, Long> millis = new TreeMap<>();
        long outages;
        long open;
        long earlier;
        long longest;
        long planned;

        String text(boolean whole) {
            return millis + " outages " + outages + " open " + open + (whole ? " earlier " + earlier : "") + " longest "
                    + longest + " planned " + planned;
        }
    }

    /** @param end the present time, in milliseconds */
    NaiveUptime(List<Entry> entries, long end) {
        InventoryState state = InventoryState.empty();
        long time = 0;
        for (int i = 0; i < entries.size(); i++) {
            state = entries.get(i).applyTo(state);
            time = millis(entries.get(i));
            long until = i + 1 == entries.size() ? end : millis(entries.get(i + 1));
            for (String host : state.resources().hosts().expand()) {
                spans.computeIfAbsent(host, each -> new ArrayList<>());
            }
            for (Map.Entry<String, List<Span>> each : spans.entrySet()) {
                add(each.getValue(), new Span(time, until, standing(state, each.getKey())));
            }
        }
    }

    private static long millis(Entry entry) {
        return Math.round(entry.timestamp() * 1000);
    }

    private static void add(List<Span> all, Span next) {
        Span last = all.isEmpty() ? null : all.get(all.size() - 1);
        if (last != null && last.standing == next.standing) {
            all.set(all.size() - 1, new Span(last.from, next.to, last.standing));
        } else {
            all.add(next);
        }
    }

    private static @Nullable UptimeKind standing(InventoryState state, String host) {
        Idset ranks =
                state.resources().hosts().contains(host) ? state.resources().ranksOf(host) : Idset.EMPTY;
        if (ranks.isEmpty()) {
            return null;
        }
        StateGroup group = StateGroup.of(state, Idset.EMPTY, ranks).get(0);
        boolean planned =
                group.holds() != null && group.holds().holds().stream().allMatch(NaiveUptime::isPlanned);
        return planned
                ? UptimeKind.PLANNED
                : UptimeKind.valueOf(group.state().word().toUpperCase(Locale.ROOT));
    }

    private static boolean isPlanned(Hold hold) {
        return hold.purpose().category().equals("maintenance");
    }

    /** Returns the sums of the hosts that were in R within a period, in milliseconds. */
    Map<String, Sum> between(long since, long until) {
        Map<String, Sum> sums = new TreeMap<>();
        spans.forEach((host, all) -> {
            Sum sum = new Sum();
            boolean out = false;
            boolean counted = false;
            long begun = 0;
            long length = 0;
            for (Span span : all) {
                UptimeKind standing = span.standing;
                long millis = Math.min(span.to, until) - Math.max(span.from, since);
                if (standing != null && millis > 0) {
                    sum.millis.merge(standing, millis, Long::sum);
                    sum.planned += standing == UptimeKind.PLANNED ? 1 : 0;
                }
                boolean isOut = standing == UptimeKind.OFFLINE
                        || standing == UptimeKind.TORPID
                        || standing == UptimeKind.DRAINED
                        || standing == UptimeKind.LOST;
                if (span.from >= until || standing == UptimeKind.UNKNOWN) {
                    continue;
                }
                if (isOut && !out) {
                    counted = false;
                    length = 0;
                    begun = span.from;
                }
                out = isOut;
                if (isOut && millis > 0) {
                    sum.outages += counted ? 0 : 1;
                    sum.earlier += !counted && begun <= since ? 1 : 0;
                    counted = true;
                    length += millis;
                    sum.longest = Math.max(sum.longest, length);
                }
            }
            sum.open = out && counted ? 1 : 0;
            if (!sum.millis.isEmpty()) {
                sums.put(host, sum);
            }
        });
        return sums;
    }
}
