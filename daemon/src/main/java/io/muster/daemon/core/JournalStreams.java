package io.muster.daemon.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.json.Pieces;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The streams of the followers of the journal (RFC 44). Each follower is sent the kept entries, then an empty response that
 * marks the end of history, then each entry as it becomes durable. A follower that does not read costs only the memory for
 * its position; a follower that has fallen behind the kept entries, or continues from an entry that is no longer kept, is
 * sent a {@code truncate} event in place of the missing entries.
 */
public final class JournalStreams implements Commits {
    /**
     * The number of bytes of entries in one response: enough to be efficient, few enough to share a socket with other
     * streams.
     */
    private static final int BATCH = 32 * 1024;

    private static final Bytes SENTINEL = Bytes.text("{\"events\":[]}");

    private final Inventory inventory;
    private final RecentEvents recent;
    private final Set<JournalStream> streams = new LinkedHashSet<>();

    private @Nullable Definition definition;
    private List<byte[]> resources = ResourceSet.EMPTY.toPieces().all();

    /**
     * @param recent the entries from before the start of this daemon that followers are sent; later entries are added to it
     */
    public JournalStreams(Inventory inventory, RecentEvents recent) {
        this.inventory = inventory;
        this.recent = recent;
    }

    /** Returns the kept entries. */
    public RecentEvents recent() {
        return recent;
    }

    /** Sets how many entries are kept. */
    public void keep(int most) {
        recent.keep(most);
    }

    /** Records that entries before the next one are missing, and that the last missing entry happened at {@code time}. */
    public void forgetUntil(double time) {
        recent.forgetUntil(time);
    }

    /** Opens the stream of a follower that is sent every kept entry, in the form of RFC 44. */
    public JournalStream follow(Sink sink) {
        inventory.checkThread();
        return open(new JournalStream(sink, 1, inventory.seq(), false));
    }

    /**
     * Opens the stream of a follower that has read the journal before. Each event that it is sent has {@code seq}, and an event
     * {@code truncate} has the seq of the first event after the gap.
     *
     * @param since the seq of the last entry that the follower has; 0 if it has none
     * @throws RpcException EINVAL if the journal has no such entry
     */
    public JournalStream follow(Sink sink, long since) {
        inventory.checkThread();
        long last = inventory.seq();
        if (since > last) {
            throw new RpcException(
                    Errno.EINVAL,
                    "since is " + since + ", but the last event of this journal is " + last
                            + ": the number belongs to another journal, or the state directory was restored from a backup");
        }
        return open(new JournalStream(sink, since + 1, last, true));
    }

    private JournalStream open(JournalStream stream) {
        streams.add(stream);
        pump(stream);
        return stream;
    }

    public void release(JournalStream stream) {
        streams.remove(stream);
    }

    public int size() {
        return streams.size();
    }

    public void endAll(RpcException reason) {
        List<JournalStream> ending = new ArrayList<>(streams);
        streams.clear();
        ending.forEach(stream -> stream.sink().end(reason));
    }

    /** Sends more entries, because the follower's socket can take more. */
    public void resume(JournalStream stream) {
        if (streams.contains(stream)) {
            pump(stream);
        }
    }

    @Override
    public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
        for (int i = 0; i < lines.size(); i++) {
            recent.add(entries.get(i), lines.get(i));
        }
    }

    @Override
    public void settled() {
        List.copyOf(streams).forEach(this::pump);
    }

    private void pump(JournalStream stream) {
        long last = inventory.seq();
        while (stream.sink().isWritable() && (stream.owesSentinel() || (stream.next() <= last))) {
            if (stream.owesSentinel()) {
                stream.sentinelSent();
                stream.sink().send(SENTINEL);
            } else if (!send(stream, batch(stream, last))) {
                return;
            }
        }
    }

    /**
     * Sends a response if there is room for it. Its payload may contain R, whose bytes all streams share.
     */
    private boolean send(JournalStream stream, Bytes batch) {
        RpcException refusal = stream.sink().refusal(batch);
        if (refusal == null) {
            stream.sink().send(batch);
        } else {
            release(stream);
            stream.sink().end(refusal);
        }
        return refusal == null;
    }

    /**
     * Returns the payload of the next response. An event that defines the resources begins a new response, which also
     * carries R.
     */
    private Bytes batch(JournalStream stream, long last) {
        Pieces json = new Pieces();
        write(json, "{\"events\":[");
        long first = recent.firstSeq(last + 1);
        boolean gap = stream.next() < first && recent.droppedAt() > 0;
        if (gap) {
            String time = Epoch.decimal(recent.droppedAt()).toPlainString();
            String context = stream.isNumbered() ? ",\"context\":{\"first\":" + first + "}" : "";
            write(json, "{\"timestamp\":" + time + ",\"name\":\"truncate\"" + context + "}");
        }
        boolean define = append(stream, json, Math.max(first, stream.next()), stream.limit(last), gap);
        write(json, "]");
        if (define) {
            write(json, ",\"R\":");
            resources().forEach(json::share);
        }
        write(json, "}\0");
        return Bytes.of(json.all());
    }

    /** Writes an event. The number of the event comes first, so that it needs no second encoding. */
    private static void write(Pieces json, JournalStream stream, RecentEvents.Item item) {
        byte[] event = item.json().toByteArray();
        if (stream.isNumbered()) {
            write(json, "{\"seq\":" + item.seq() + ",");
            json.write(event, 1, event.length - 1);
        } else {
            json.share(event);
        }
    }

    private static void write(Pieces json, String text) {
        json.share(text.getBytes(UTF_8));
    }

    /** Returns R as JSON. R may have a large graph and changes seldom, so its bytes are kept until it changes. */
    private List<byte[]> resources() {
        Definition now = inventory.state().definition();
        if (now != definition) {
            resources = now.resources().toPieces().all();
            definition = now;
        }
        return resources;
    }

    private boolean append(JournalStream stream, Pieces json, long from, long limit, boolean begun) {
        boolean hasEvents = begun;
        boolean define = false;
        stream.sentUpTo(from - 1);
        for (Iterator<RecentEvents.Item> it = recent.from(from); it.hasNext() && json.size() < BATCH; ) {
            RecentEvents.Item item = it.next();
            if (item.seq() > limit || (item.define() && hasEvents)) {
                break;
            }
            if (hasEvents) {
                write(json, ",");
            }
            write(json, stream, item);
            hasEvents = true;
            define |= item.define();
            stream.sentUpTo(item.seq());
        }
        return define;
    }
}
