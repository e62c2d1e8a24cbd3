package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.history.Period;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.MalformedException;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The request {@code resource.history}, which only Muster has: {@code {hosts, since, until, notes}}, all of them optional.
 *
 * @param hosts empty for all hosts
 * @param notes whether marks and tags are intervals of the answer
 */
public record HistoryRequest(Set<String> hosts, Period period, boolean notes) {
    public static final String TOPIC = "resource.history";

    /** The highest number of hosts in a request. Each takes about 100 bytes, which do not count as memory of the peer. */
    public static final int MOST_HOSTS = 1 << 16;

    /** @throws RpcException EPROTO if a key has the wrong type, EINVAL if the hosts are not a hostlist or too many */
    public static HistoryRequest parse(Fields in) {
        Period period = new Period(PastQuery.time(in, "since", 0), PastQuery.time(in, "until", Double.MAX_VALUE));
        return new HistoryRequest(hosts(in.textOr("hosts", "")), period, in.flag("notes"));
    }

    private static Set<String> hosts(String text) {
        try {
            Hostlist hosts = Hostlist.parse(text);
            if (hosts.size() > MOST_HOSTS) {
                throw new RpcException(
                        Errno.EINVAL,
                        "the history of " + hosts.size() + " hosts is asked for; " + MOST_HOSTS
                                + " are allowed: ask for fewer hosts, or for all by naming none");
            }
            return new LinkedHashSet<>(hosts.expand());
        } catch (MalformedException e) {
            throw new RpcException(Errno.EINVAL, String.valueOf(e.getMessage()));
        }
    }

    public ObjectNode toJson() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        if (!hosts.isEmpty()) {
            payload.put("hosts", Hostlist.of(List.copyOf(hosts)).toString());
        }
        if (period.since() > 0) {
            payload.set("since", Epoch.number(period.since()));
        }
        if (period.until() < Epoch.LAST) {
            payload.set("until", Epoch.number(period.until()));
        }
        if (notes) {
            payload.put("notes", true);
        }
        return payload;
    }
}
