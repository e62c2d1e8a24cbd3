package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;

/**
 * The response to {@code resource.sched-status}, in flux-core's form: {@code {all, down, allocated}}, each of them an R
 * without {@code scheduling}.
 *
 * @param all resources offered to schedulers, without excluded ranks
 * @param down resources of {@code all} that are offline or drained
 * @param allocated resources of the ranks that jobs use, as far as reporters say; a rank is allocated as a whole
 */
public record SchedStatus(ResourceSet all, ResourceSet down, ResourceSet allocated) {
    /** @param allocated the ranks that jobs use */
    public static SchedStatus of(InventoryState state, Idset allocated) {
        ResourceSet all = state.resources().withoutScheduling().keep(state.members());
        return new SchedStatus(all, all.remove(state.view().up()), all.keep(allocated.intersect(all.ranks())));
    }

    public Bytes encode() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.set("all", all.toSharedJson());
        payload.set("down", down.toSharedJson());
        payload.set("allocated", allocated.toSharedJson());
        return Json.encode(payload);
    }
}
