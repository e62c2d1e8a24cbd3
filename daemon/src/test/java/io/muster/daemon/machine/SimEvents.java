package io.muster.daemon.machine;

import java.util.Arrays;

/** What will happen, the next event first: a binary heap, because a queue of objects that compare themselves takes twice as long. */
final class SimEvents {
    private long[] times = new long[64];
    private long[] orders = new long[64];
    private Runnable[] actions = new Runnable[64];
    private int size;
    private int made;

    /** Returns when the next event happens; more than any time if there is none. */
    long next() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    /** @param tie decides which of the events at one time happens first */
    void add(long time, int tie, Runnable action) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
            orders = Arrays.copyOf(orders, 2 * size);
            actions = Arrays.copyOf(actions, 2 * size);
        }
        long order = ((long) tie << Integer.SIZE) | (made++ & 0xffffffffL);
        int at = size++;
        while (at > 0 && isBefore(time, order, (at - 1) / 2)) {
            move((at - 1) / 2, at);
            at = (at - 1) / 2;
        }
        put(at, time, order, action);
    }

    /** Removes the next event. */
    Runnable remove() {
        Runnable first = actions[0];
        int last = --size;
        long time = times[last];
        long order = orders[last];
        int at = 0;
        int child = 1;
        while (child < last) {
            if (child + 1 < last && isBefore(times[child + 1], orders[child + 1], child)) {
                child++;
            }
            if (isBefore(time, order, child)) {
                break;
            }
            move(child, at);
            at = child;
            child = 2 * at + 1;
        }
        put(at, time, order, actions[last]);
        Arrays.fill(actions, last, last + 1, null);
        return first;
    }

    private boolean isBefore(long time, long order, int other) {
        return time == times[other] ? order < orders[other] : time < times[other];
    }

    private void move(int from, int to) {
        put(to, times[from], orders[from], actions[from]);
    }

    private void put(int at, long time, long order, Runnable action) {
        times[at] = time;
        orders[at] = order;
        actions[at] = action;
    }
}
