package io.muster.inventory.status;

import io.muster.inventory.axis.Liveness;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The words with which users are shown the states of hosts. A host has one word or several: a host that is drained and offline
 * has both. If one of the words is a {@link HostState}, that is the first word and the state in which {@code muster status}
 * lists the host.
 */
public final class Told {
    private Told() {}

    /**
     * Returns the ranks to which each word applies. A rank is available if schedulers are sent it as up; a rank whose reporter is
     * lost is unknown and, if it was last known to be up, available too.
     */
    public static Map<String, Idset> of(InventoryState state) {
        Idset all = state.resources().ranks();
        Idset members = state.members();
        Idset lost = state.membership().lost().intersect(all);
        Liveness live = state.liveness();
        Map<String, Idset> told = new LinkedHashMap<>();
        told.put(HostState.LOST.word(), lost);
        told.put(HostState.EXCLUDED.word(), all.subtract(members).subtract(lost));
        told.put(HostState.DRAINED.word(), members.intersect(state.holds().held()));
        told.put(HostState.TORPID.word(), all.intersect(live.torpid()));
        told.put(HostState.AVAILABLE.word(), state.view().up());
        told.put(Liveness.Status.OFFLINE.word(), live.offline(all));
        told.put("unknown", all.intersect(live.reports().unknown()));
        return told;
    }

    static List<String> of(InventoryState state, int rank) {
        List<String> words = new ArrayList<>();
        of(state).forEach((word, ranks) -> {
            if (ranks.contains(rank)) {
                words.add(word);
            }
        });
        return words;
    }
}
