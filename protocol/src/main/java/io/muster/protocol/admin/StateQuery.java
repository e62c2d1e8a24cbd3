package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import org.jspecify.annotations.Nullable;

/**
 * A question about the state of hosts.
 *
 * @param targets the hosts; null for all
 * @param states the states that the hosts may have; null for all
 * @param expand whether the answer lists each host of a group
 * @param limit the highest number of hosts in the answer
 * @param after the rank after which the answer begins; -1 for the first one
 * @param host the one host of which the answer is; "" for none
 */
public record StateQuery(
        @Nullable String targets, @Nullable String states, boolean expand, int limit, int after, String host) {
    private static final String SUBJECT = "documents";
    private static final String TARGETS = "targets";
    private static final int MOST_HOSTS = 1000;
    private static final int USUAL_HOSTS = 100;

    public static StateQuery parse(ObjectNode payload) {
        Fields in = Payload.fields(SUBJECT, payload)
                .only("is not a key of this request", TARGETS, "states", "expand", "limit", "after", "host");
        return new StateQuery(
                in.optional(TARGETS),
                in.optional("states"),
                in.flag("expand"),
                in.has("limit") ? (int) in.integer("limit", 1, MOST_HOSTS) : USUAL_HOSTS,
                in.has("after") ? (int) in.integer("after", 0, Idset.MAX_ID) : -1,
                in.textOr("host", ""));
    }

    /** Returns the refusal of a value. */
    public static RpcException fault(String key, String sentence) {
        return new RpcException(Errno.EPROTO, SUBJECT + ": /" + key + " " + sentence);
    }
}
