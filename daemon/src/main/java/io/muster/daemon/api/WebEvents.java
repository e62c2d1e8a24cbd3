package io.muster.daemon.api;

import io.muster.daemon.core.Commits;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.RecentEvents;
import io.muster.daemon.http.Broadcast;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Passes the entries of the journal to the readers of {@code /v1/events}. The core thread hands over the entries that became
 * durable together in one task, regardless of the number of readers. A definition is passed on without its R, which a reader
 * gets from {@code /v1/R}.
 */
public final class WebEvents implements Commits {
    private final Broadcast broadcast;
    private List<Broadcast.Item> waiting = new ArrayList<>();

    private WebEvents(Broadcast broadcast) {
        this.broadcast = broadcast;
    }

    /** Passes on the kept entries, and all entries from now on. For the core thread. */
    public static void start(Inventory inventory, RecentEvents recent, Broadcast broadcast) {
        WebEvents feed = new WebEvents(broadcast);
        broadcast.begin(recent.firstSeq(inventory.seq() + 1) - 1);
        recent.from(0)
                .forEachRemaining(item -> feed.waiting.add(new Broadcast.Item(item.seq(), item.name(), item.json())));
        feed.settled();
        inventory.listen(feed);
    }

    @Override
    public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
        for (int i = 0; i < lines.size(); i++) {
            Entry entry = entries.get(i);
            boolean define = entry.event() instanceof DefinitionChanges.Defined;
            byte[] json = define ? entry.toSummary() : lines.get(i);
            waiting.add(new Broadcast.Item(entry.seq(), entry.event().name(), Bytes.wrap(json)));
        }
    }

    @Override
    public void settled() {
        if (!waiting.isEmpty()) {
            broadcast.add(waiting);
            waiting = new ArrayList<>();
        }
    }
}
