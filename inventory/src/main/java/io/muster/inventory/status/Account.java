package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.DoubleFunction;

/** Everything that is known about one host, whether R names the host ({@link HostStatus}) or not ({@link Departure}), or about a vertex. */
public sealed interface Account permits HostStatus, Departure, VertexStatus {
    /** Returns the host, or the path of a vertex that belongs to no host. */
    String host();

    /** Returns the last events about the host, oldest first. */
    List<ObjectNode> events();

    /**
     * Returns the account as text: the first line gives the result, the other lines the reasons.
     *
     * @param silence why no events are known; "" if some may be
     * @param time prints times
     */
    String text(double now, String silence, DoubleFunction<String> time);

    ObjectNode toJson();
}
