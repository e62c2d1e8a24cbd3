package io.muster.daemon.cli.query;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;

/** The answer to {@code resource.sched-status}: what there is, and what of it is down or allocated. */
record Usage(ResourceSet all, Idset down, Idset allocated) {
    static Usage parse(JsonNode answer) {
        return new Usage(
                ResourceSet.parse(answer.path("all")), ranks(answer.path("down")), ranks(answer.path("allocated")));
    }

    /** flux writes an R without ranks with one host that has no name, which is no R. */
    private static Idset ranks(JsonNode r) {
        return r.path("execution").path("R_lite").isEmpty()
                ? Idset.EMPTY
                : ResourceSet.parse(r).ranks();
    }

    Idset in(String state) {
        return switch (state) {
            case "down" -> down.subtract(allocated);
            case "allocated" -> allocated;
            case "up" -> all.ranks().subtract(down);
            default -> all.ranks().subtract(down).subtract(allocated);
        };
    }
}
