package io.muster.daemon.core;

import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * The last so many events as their followers get them; what came before is on disk, and here only as a gap. Fewer are kept
 * when they are long: one that names every second rank of a large system is as long as its list of hosts.
 */
final class RecentEvents {
    private int most;
    private long bytes;
    private final ArrayDeque<Item> items = new ArrayDeque<>();
    /** When the event before the first of {@link #items} happened; 0 if there was none. */
    private double droppedAt;

    RecentEvents(int most) {
        this.most = most;
    }

    /** @param define whether R goes along with it (RFC 44 "journal response") */
    record Item(long seq, double timestamp, boolean define, byte[] json) {}

    /** Nothing before the next event is known, and the last of it happened then. */
    void forgetUntil(double timestamp) {
        droppedAt = timestamp;
    }

    /** @param line the entry as JSON */
    void add(Entry entry, byte[] line) {
        Item item = item(entry, line);
        items.add(item);
        bytes += item.json.length;
        trim();
    }

    void keep(int number) {
        most = number;
        trim();
    }

    private void trim() {
        while (items.size() > most || (bytes > JournalStreams.MOST_BYTES && items.size() > 1)) {
            Item dropped = items.remove();
            bytes -= dropped.json.length;
            droppedAt = dropped.timestamp;
        }
    }

    private static Item item(Entry entry, byte[] line) {
        boolean define = entry.event() instanceof Event.Define;
        return new Item(entry.seq(), entry.timestamp(), define, define ? entry.toSummary() : line);
    }

    double droppedAt() {
        return droppedAt;
    }

    long firstSeq(long none) {
        Item first = items.peekFirst();
        return first == null ? none : first.seq();
    }

    /** From {@code seq} on, oldest first. */
    Iterator<Item> from(long seq) {
        long first = firstSeq(seq);
        if (seq - first > items.size() / 2) {
            return tail((int) (first + items.size() - seq));
        }
        Iterator<Item> all = items.iterator();
        for (long s = first; s < seq && all.hasNext(); s++) {
            all.next();
        }
        return all;
    }

    /** Followers mostly ask for the newest: those are reached from the end. */
    private Iterator<Item> tail(int count) {
        ArrayDeque<Item> newest = new ArrayDeque<>(Math.max(count, 1));
        Iterator<Item> back = items.descendingIterator();
        for (int i = 0; i < count && back.hasNext(); i++) {
            newest.addFirst(back.next());
        }
        return newest.iterator();
    }
}
