package io.muster.inventory.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sums how long each host was in each standing, and counts its outages. One array for each sum, because an event may change the standing of
 * every host, and the processor reads arrays in order much faster than one object for each host.
 */
final class HostTimes {
    private static final byte SEEN = 1;
    /** The host is out. The standing before it became unclear counts. */
    private static final byte OUT = 2;
    /** The present outage is counted. */
    private static final byte COUNTED = 4;
    /** The present maintenance is counted. */
    private static final byte PLANNED = 8;

    private final List<String> names = new ArrayList<>();
    private final long[][] millis = new long[UptimeKind.values().length][64];
    private byte[] flags = new byte[64];
    private int[] outages = new int[64];
    private int[] earlier = new int[64];
    private int[] planned = new int[64];
    private long[] longest = new long[64];
    /** When the present outage began. */
    private long[] outSince = new long[64];
    /** The length of the present outage, as far as it is in the period. */
    private long[] length = new long[64];

    /** Adds the host with the next number. */
    void add(String name) {
        int room = flags.length;
        if (names.size() == room) {
            flags = Arrays.copyOf(flags, 2 * room);
            outages = Arrays.copyOf(outages, 2 * room);
            earlier = Arrays.copyOf(earlier, 2 * room);
            planned = Arrays.copyOf(planned, 2 * room);
            longest = Arrays.copyOf(longest, 2 * room);
            outSince = Arrays.copyOf(outSince, 2 * room);
            length = Arrays.copyOf(length, 2 * room);
            for (int kind = 0; kind < millis.length; kind++) {
                millis[kind] = Arrays.copyOf(millis[kind], 2 * room);
            }
        }
        names.add(name);
    }

    int count() {
        return names.size();
    }

    /** The standing of a host becomes an outage, or something that is clear and no outage. */
    void change(int host, boolean out, long time) {
        int known = flags[host];
        if (!out || (known & OUT) == 0) {
            known &= ~COUNTED;
            length[host] = 0;
            outSince[host] = time;
        }
        flags[host] = (byte) (out ? known | OUT : known & ~OUT);
    }

    /** The maintenance of a host, if there is one, ends. */
    void endPlanned(int host) {
        flags[host] &= ~PLANNED;
    }

    /**
     * Adds time in the period.
     *
     * @param begin an outage that had begun by then counts as an earlier one
     */
    void add(int host, UptimeKind standing, long time, long begin) {
        int known = flags[host];
        millis[standing.index()][host] += time;
        if (standing.isOutage()) {
            if ((known & COUNTED) == 0) {
                outages[host]++;
                earlier[host] += outSince[host] <= begin ? 1 : 0;
            }
            known |= COUNTED;
            length[host] += time;
            longest[host] = Math.max(longest[host], length[host]);
        } else if (standing == UptimeKind.PLANNED) {
            planned[host] += (known & PLANNED) == 0 ? 1 : 0;
            known |= PLANNED;
        }
        flags[host] = (byte) (known | SEEN);
    }

    String name(int host) {
        return names.get(host);
    }

    /** Returns whether the host was in R in the period. */
    boolean isSeen(int host) {
        return (flags[host] & SEEN) != 0;
    }

    long millis(int host, UptimeKind standing) {
        return millis[standing.index()][host];
    }

    int outages(int host) {
        return outages[host];
    }

    /** Returns the number of outages that began before the period. */
    int earlier(int host) {
        return earlier[host];
    }

    boolean isOut(int host) {
        return (flags[host] & OUT) != 0;
    }

    long outSince(int host) {
        return outSince[host];
    }

    /** Returns whether an outage in the period has not ended. */
    boolean isOpen(int host) {
        return (flags[host] & (OUT | COUNTED)) == (OUT | COUNTED);
    }

    long longest(int host) {
        return longest[host];
    }

    /** Returns the number of times of planned maintenance. */
    int planned(int host) {
        return planned[host];
    }
}
