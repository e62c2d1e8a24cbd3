package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Everything known about one host. */
public sealed interface Account permits HostStatus, Departure {
    String host();

    /** The last events about the host, oldest first. */
    List<ObjectNode> events();

    /**
     * The account as text: the first line gives the result, the other lines the reasons.
     *
     * @param silence why there are no events; "" if there may be some
     */
    String text(double now, String silence);

    ObjectNode toJson();
}
