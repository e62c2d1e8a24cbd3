package io.muster.inventory.status;

import io.muster.inventory.axis.Liveness;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import java.util.Map;

/** Returns what people are told of hosts, as sets of ranks. A host that is offline and drained is in both sets. */
public final class Told {
    private Told() {}

    /** Returns for each word the ranks of which it is true. Every rank is either up or down. */
    public static Map<String, Idset> of(InventoryState state) {
        Idset all = state.resources().ranks();
        Idset up = state.view().up();
        Liveness live = state.liveness();
        return Map.of(
                "up",
                up,
                HostState.AVAIL.word(),
                up,
                "down",
                all.subtract(up),
                HostState.TORPID.word(),
                live.torpid(),
                "offline",
                live.offline(all),
                HostState.DRAINED.word(),
                state.holds().held().intersect(state.members()),
                HostState.EXCLUDED.word(),
                state.membership().excluded(),
                HostState.LOST.word(),
                state.membership().lost());
    }
}
