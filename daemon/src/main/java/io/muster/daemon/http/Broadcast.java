package io.muster.daemon.http;

import io.muster.protocol.wire.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends numbered events to many readers, as server-sent events. The last events are kept, so that a reader whose connection
 * was closed may resume. Readers at the same position share the bytes. All methods but {@link #add} and {@link #size} run on
 * the thread of the loop.
 */
public final class Broadcast {
    /** Bytes of events that are sent to a reader at a time. */
    static final int BATCH = 1 << 15;

    private static final int MOST_BATCHES = 64;
    private static final long MOST_BYTES = 16 << 20;

    /**
     * If the batches that some socket has not taken have more bytes than this, no further batch is made: readers wait until
     * there is room.
     */
    static final long MOST_UNTAKEN = 64 << 20;

    private final Executor loop;
    private final int most;
    private final TreeMap<Long, Item> items = new TreeMap<>();
    private final Set<Reader> readers = new HashSet<>();
    private final Map<Place, Batch> batches = new HashMap<>();
    /** Counts the bytes of the batches. */
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);

    private long bytes;
    /** The number of the last event that was added, and of the last that is no longer kept. */
    private long last;

    private long dropped;
    private volatile int size;

    /**
     * @param most how many events are kept
     * @param last the number of the last event so far
     */
    public Broadcast(Executor loop, int most, long last) {
        this.loop = loop;
        this.most = most;
        this.last = last;
        this.dropped = last;
    }

    /** An event. The bytes are those of its JSON, on one line. */
    public record Item(long seq, String name, Bytes json) {}

    /** The events that a reader wants; equal choices have equal keys. */
    public record Choice(String key, Predicate<Item> wanted) {}

    private record Place(long from, String choice) {}

    /** The events after a place that are sent together. */
    private record Batch(ByteBuf bytes, long last) {}

    /** Sets the numbers before the first event that is added, for events from before the start. */
    public void begin(long before) {
        loop.execute(() -> dropped = before);
    }

    /** Adds events. May be called on any thread; the calls determine the order. */
    public void add(List<Item> more) {
        onLoop(() -> {
            for (Item item : more) {
                if (item.seq > last + 1) { // a standby has continued from a snapshot
                    items.clear();
                    bytes = 0;
                    dropped = item.seq - 1;
                }
                items.put(item.seq, item);
                bytes += item.json.length();
                last = item.seq;
            }
            while (items.size() > most || (bytes > MOST_BYTES && items.size() > 1)) {
                Item oldest = items.pollFirstEntry().getValue();
                bytes -= oldest.json.length();
                dropped = oldest.seq;
            }
            forget();
            new ArrayList<>(readers).forEach(reader -> reader.news.run());
        });
    }

    /** Returns the number of readers. */
    public int size() {
        return size;
    }

    /** Returns the number of bytes of batches that are in memory. */
    long untaken() {
        return memory.metric().usedDirectMemory();
    }

    /** Ends all readers. */
    public void end() {
        onLoop(() -> {
            new ArrayList<>(readers).forEach(reader -> reader.drop.run());
            forget();
        });
    }

    /** The loop ends before the core thread, which may still commit something then. */
    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException stopped) {
            size = 0;
        }
    }

    private void forget() {
        batches.values().forEach(batch -> batch.bytes.release());
        batches.clear();
    }

    /**
     * Returns a reader.
     *
     * @param since the number of the last event that the reader has; -1 to begin with the next event
     * @param still called regularly; ends the reader through the action that it is given, if it may not read any more
     */
    public Reader reader(long since, Choice choice, Consumer<Runnable> still) {
        return new Reader(since, choice, still);
    }

    /**
     * A connection that is sent events. It needs memory for its position, and for the bytes that its socket has not taken.
     */
    public final class Reader implements HttpConnection.Chunks {
        private final Choice choice;
        private final Consumer<Runnable> still;
        private long next;
        private boolean begun;
        private boolean closed;
        private @Nullable String notice;
        private Runnable news = () -> {};
        private Runnable drop = () -> {};

        private Reader(long since, Choice choice, Consumer<Runnable> still) {
            this.choice = choice;
            this.still = still;
            this.next = since + 1;
        }

        void open(Runnable whenNews, Runnable whenDropped) {
            if (!closed) {
                news = whenNews;
                drop = whenDropped;
                readers.add(this);
                size = readers.size();
                news.run();
            }
        }

        @Override
        public void close() {
            closed = true;
            readers.remove(this);
            size = readers.size();
        }

        @Override
        public boolean isDone() {
            return false;
        }

        /** Sends a comment if there is no event, by which both sides notice a connection that is broken. */
        @Override
        public void tick(boolean idle) {
            notice = idle ? ":\n\n" : null;
            still.accept(drop);
        }

        @Override
        public @Nullable ByteBuf next() {
            if (!begun) {
                begun = true;
                next = next == 0 ? last + 1 : next;
                return text("retry: 2000\n\n");
            }
            String comment = notice;
            notice = null;
            if (comment != null) {
                return text(comment);
            }
            if (next <= dropped) {
                String gap = "id: " + dropped + "\nevent: gap\ndata: {\"first\":" + (dropped + 1) + "}\n\n";
                next = dropped + 1;
                return text(gap);
            }
            while (next <= last) {
                Place place = new Place(next, choice.key);
                Batch batch = batches.get(place);
                if (batch == null) {
                    if (batches.size() >= MOST_BATCHES || untaken() >= MOST_UNTAKEN) {
                        forget();
                    }
                    if (untaken() >= MOST_UNTAKEN) {
                        return null; // the next event or tick tries again
                    }
                    batch = batch(next, choice);
                    batches.put(place, batch);
                }
                next = batch.last + 1;
                if (batch.bytes.isReadable()) {
                    return batch.bytes.retainedDuplicate();
                }
            }
            return null;
        }
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    /** Encodes the events from a number on, outside of the heap, from where a socket takes them without a copy for each reader. */
    private Batch batch(long from, Choice choice) {
        ByteBuf out = memory.directBuffer();
        boolean complete = false;
        try {
            long end = from - 1;
            Iterator<Item> each = items.tailMap(from).values().iterator();
            while (each.hasNext() && out.readableBytes() < BATCH) {
                Item item = each.next();
                end = item.seq;
                if (choice.wanted.test(item)) {
                    out.writeBytes(("id: " + item.seq + "\nevent: " + item.name + "\ndata: ")
                            .getBytes(StandardCharsets.US_ASCII));
                    item.json.toByteBuffers().forEach(out::writeBytes);
                    out.writeBytes(new byte[] {'\n', '\n'});
                }
            }
            complete = true;
            return new Batch(out, Math.max(end, from));
        } finally {
            if (!complete) {
                out.release();
            }
        }
    }
}
