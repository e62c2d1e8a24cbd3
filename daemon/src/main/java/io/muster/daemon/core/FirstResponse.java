package io.muster.daemon.core;

import io.muster.inventory.axis.Definition;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Pruned;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.SchedulerView;
import io.muster.protocol.acquire.First;
import io.muster.protocol.wire.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first response, which is kept for the next scheduler. Encoding R, which may have a large graph, takes long, so the
 * bytes of R are kept until R changes. The whole response is kept until {@code up} changes, so that schedulers that
 * acquire in the meantime share its bytes.
 */
final class FirstResponse {
    private static final Logger log = LoggerFactory.getLogger("acquire");

    private @Nullable Definition definition;
    private Idset members = Idset.EMPTY;
    private Idset up = Idset.EMPTY;
    private Bytes resources = Bytes.EMPTY;
    private Bytes payload = Bytes.EMPTY;

    Bytes payload(InventoryState state) {
        SchedulerView view = state.view();
        boolean same = state.definition() == definition && view.members().equals(members);
        if (!same) {
            Pruned offered = state.offered();
            note(offered.scheduling(), state.resources().ranks().subtract(view.members()));
            resources = Bytes.of(offered.resources().toPieces().all());
            definition = state.definition();
            members = view.members();
        }
        if (!same || !view.up().equals(up)) {
            up = view.up();
            payload = First.encode(resources, up);
        }
        return payload;
    }

    private static void note(Pruned.Scheduling scheduling, Idset absent) {
        if (scheduling == Pruned.Scheduling.PRUNED) {
            log.info("the key scheduling is offered without ranks {}, which are not on offer", absent);
        } else if (scheduling == Pruned.Scheduling.DROPPED) {
            log.warn(
                    "R is offered without its scheduling key, which Muster cannot read and which could name ranks {}, "
                            + "which are not on offer",
                    absent);
        }
    }
}
