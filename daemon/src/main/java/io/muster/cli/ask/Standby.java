package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The distance of a daemon that does not lead to the newest state of the ledger on etcd.
 *
 * @param leader the URIs of the leader; "" if no daemon is known to lead
 * @param lag the number of events in etcd that the daemon has not applied
 * @param age the seconds since the state that the daemon shows was known to be the newest one
 */
public record Standby(String leader, long lag, double age) {
    /** Asks a daemon. Returns null if the daemon leads or has a ledger of files. */
    public static @Nullable Standby ask(FluxClient client) throws IOException {
        try {
            if (!ServerVerb.attribute(client, "muster.role").equals("standby")) {
                return null;
            }
            return new Standby(
                    ServerVerb.attribute(client, "muster.leader"),
                    Long.parseLong(ServerVerb.attribute(client, "muster.lag")),
                    Double.parseDouble(ServerVerb.attribute(client, "muster.age")));
        } catch (RpcException e) {
            if (e.errno().equals(Errno.ENOENT)) {
                return null;
            }
            throw e;
        }
    }

    public ObjectNode toJson() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("leader", leader)
                .put("lag", lag)
                .put("age", age);
    }

    /** {@code this daemon is a standby of ssh://node1: 0 events behind, as of 0.051 s ago}. */
    @Override
    public String toString() {
        return "this daemon is a standby" + (leader.isEmpty() ? ", and no daemon is known to lead" : " of " + leader)
                + ": " + lag + (lag == 1 ? " event" : " events") + " behind, as of " + age + " s ago";
    }
}
