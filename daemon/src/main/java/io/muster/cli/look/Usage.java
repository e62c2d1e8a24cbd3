package io.muster.cli.look;

import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.admin.SchedStatus;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;

/** The resources that schedulers may use: all of them, those that are down, and those that are allocated; the rest is free. */
record Usage(ResourceSet all, Idset down, Idset allocated) {
    static Usage ask(FluxClient client) throws IOException {
        SchedStatus status = SchedStatus.parse(client.rpc("resource.sched-status", null));
        return new Usage(status.all(), status.down().ranks(), status.allocated().ranks());
    }

    private static final List<String> EACH = List.of("free", "allocated", "down");

    /**
     * Parses the option {@code -s}: free, allocated and down are states; up stands for free and allocated, all stands for
     * all three.
     */
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
