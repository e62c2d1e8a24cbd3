package io.muster.daemon.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requests that wait until a number of ranks is online ({@code resource.monitor-waitup}). */
public final class Waiters implements Commits {
    private final Inventory inventory;
    private final List<Waiter> waiters = new ArrayList<>();

    public Waiters(Inventory inventory) {
        this.inventory = inventory;
    }

    private record Waiter(int count, Runnable then) {}

    /**
     * Waits until as many ranks are online as a request asks for.
     *
     * @param then called when that many ranks are online; not called if they are online now
     * @return an action that removes the waiter; null if enough ranks are online now
     */
    public @Nullable Runnable await(ObjectNode payload, Runnable then) {
        Waiter waiter = new Waiter(count(payload), then);
        if (online(inventory.state()) >= waiter.count) {
            return null;
        }
        waiters.add(waiter);
        return () -> waiters.remove(waiter);
    }

    /**
     * Reads the number of ranks from a request. The error for a number that can never be reached has flux-core's text and
     * error number.
     */
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
        return state.liveness().connected().size();
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
