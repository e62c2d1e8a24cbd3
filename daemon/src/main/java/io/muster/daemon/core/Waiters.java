package io.muster.daemon.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.Liveness;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who waits for so many ranks to be online ({@code resource.monitor-waitup}). */
public final class Waiters implements Commits {
    private final Inventory inventory;
    private final List<Waiter> waiters = new ArrayList<>();

    public Waiters(Inventory inventory) {
        this.inventory = inventory;
    }

    private record Waiter(int count, Runnable then) {}

    /**
     * @param then called when as many are online; not if they are now
     * @return what forgets the waiter; null when there is nothing to wait for
     */
    public @Nullable Runnable await(ObjectNode payload, Runnable then) {
        Waiter waiter = new Waiter(count(payload), then);
        if (online(inventory.state()) >= waiter.count) {
            return null;
        }
        waiters.add(waiter);
        return () -> waiters.remove(waiter);
    }

    /** flux-core's sentence and number for a count that can never be reached. */
    private int count(ObjectNode payload) {
        JsonNode up = payload.path("up");
        if (!up.isInt()) {
            throw new RpcException(Errno.EPROTO, "resource.monitor-waitup: /up must be a whole number");
        }
        if (up.intValue() < 0
                || up.intValue() > inventory.state().resources().ranks().size()) {
            throw new RpcException(Errno.EPROTO, "up value is out of range");
        }
        return up.intValue();
    }

    private static int online(InventoryState state) {
        Liveness live = state.liveness();
        return live.online().size() + live.torpid().size();
    }

    @Override
    public void settled() {
        if (waiters.isEmpty()) {
            return;
        }
        int online = online(inventory.state());
        List<Waiter> served =
                waiters.stream().filter(waiter -> online >= waiter.count).toList();
        waiters.removeIf(waiter -> online >= waiter.count);
        served.forEach(waiter -> waiter.then.run());
    }
}
