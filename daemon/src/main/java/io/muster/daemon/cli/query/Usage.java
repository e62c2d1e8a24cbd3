package io.muster.daemon.cli.query;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Failure;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;

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

    private static final List<String> EACH = List.of("free", "allocated", "down");

    /** What {@code -s} names: free, allocated, down; up is both of the first, all is each. */
    static List<String> states(String text) {
        List<String> states = List.of(text.equals("all") ? EACH.toArray(new String[0]) : text.split(","));
        for (String state : states) {
            if (!EACH.contains(state) && !state.equals("up")) {
                throw new Failure(
                        Exit.USAGE,
                        "--states: there is no state " + state,
                        "the states are free, allocated, down, up, all");
            }
        }
        return states;
    }

    Idset in(List<String> states) {
        Idset found = Idset.EMPTY;
        for (String state : states) {
            found = found.union(in(state));
        }
        return found;
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
