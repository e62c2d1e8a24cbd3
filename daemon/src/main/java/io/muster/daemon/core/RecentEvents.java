package io.muster.daemon.core;

import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;

/**
 * The most recent journal entries, in the form in which followers are sent them. Earlier entries are only on disk; followers
 * see a gap in their place. If entries are long, fewer are kept: an entry that names every second rank of a large system is
 * as long as its list of hosts.
 */
public final class RecentEvents {
    /**
     * The highest number of bytes of entries in memory, even if the configuration allows more, because more would fill the
     * heap.
     */
    private static final int MOST_BYTES = 16 << 20;

    private int most;
    private long bytes;
    private final ArrayDeque<Item> items = new ArrayDeque<>();
    /** When the last entry before the first of {@link #items} happened; 0 if there was no such entry. */
    private double droppedAt;

    public RecentEvents(int most) {
        this.most = most;
    }

    /**
     * One kept entry.
     *
     * @param define whether the entry defines R, so that the response that carries it also carries R (RFC 44 "journal
     *     response")
     */
    public record Item(long seq, double timestamp, String name, boolean define, Bytes json) {}

    /**
     * Records a gap before the next entry, and keeps no entry from before the gap.
     *
     * @param timestamp when the last missing entry happened
     */
    public void forgetUntil(double timestamp) {
        items.clear();
        bytes = 0;
        droppedAt = timestamp;
    }

    /**
     * Adds an entry that became durable.
     *
     * @param line the entry as JSON
     */
    public void add(Entry entry, byte[] line) {
        add(entry, () -> line);
    }

    /**
     * @param line returns the entry as JSON; not called for a definition, because the R of all definitions would fill the
     * heap
     */
    public void add(Entry entry, Supplier<byte[]> line) {
        boolean define = entry.event() instanceof DefinitionChanges.Defined;
        byte[] json = define ? entry.toSummary() : line.get();
        Item item = new Item(entry.seq(), entry.timestamp(), entry.event().name(), define, Bytes.wrap(json));
        items.add(item);
        bytes += item.json.length();
        trim();
    }

    /**
     * Adds an entry before the first one, if there is room for it.
     *
     * @param line returns the entry as JSON
     * @return whether there may be room for another one
     */
    public boolean addEarlier(long seq, double timestamp, String name, Supplier<byte[]> line) {
        if (items.size() >= most) {
            droppedAt = timestamp;
            return false;
        }
        droppedAt = seq == 1 ? 0 : timestamp;
        Bytes json = Bytes.wrap(line.get());
        boolean room = bytes + json.length() <= MOST_BYTES;
        if (room) {
            items.addFirst(new Item(seq, timestamp, name, name.equals(DefinitionChanges.Defined.NAME), json));
            bytes += json.length();
        } else {
            droppedAt = timestamp;
        }
        return room;
    }

    void keep(int number) {
        most = number;
        trim();
    }

    private void trim() {
        while (items.size() > most || (bytes > MOST_BYTES && items.size() > 1)) {
            Item dropped = items.remove();
            bytes -= dropped.json.length();
            droppedAt = dropped.timestamp;
        }
    }

    /** Returns the entries that are kept, oldest first. */
    public List<Item> kept() {
        return new ArrayList<>(items);
    }

    double droppedAt() {
        return droppedAt;
    }

    /** Returns the seq of the first entry that is kept, or {@code none}. */
    public long firstSeq(long none) {
        Item first = items.peekFirst();
        return first == null ? none : first.seq();
    }

    /** Returns the entries from {@code seq} on, oldest first. */
    public Iterator<Item> from(long seq) {
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

    /**
     * Returns the last {@code count} entries, oldest first. The search starts at the end of the queue, because followers
     * mostly need the newest entries.
     */
    private Iterator<Item> tail(int count) {
        ArrayDeque<Item> newest = new ArrayDeque<>(Math.max(count, 1));
        Iterator<Item> back = items.descendingIterator();
        for (int i = 0; i < count && back.hasNext(); i++) {
            newest.addFirst(back.next());
        }
        return newest.iterator();
    }
}
