package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.inventory.axis.Times;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.Scheduler;
import io.muster.protocol.admin.InventoryAnswer;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.List;

/** The whole state of a daemon at one moment, for verbs that no document answers yet. */
public record Overview(InventoryAnswer answer) {
    public static final int SCHEMA_VERSION = 1;

    public static Overview ask(FluxClient client) throws IOException {
        try {
            return new Overview(InventoryAnswer.parse(client.rpc(InventoryAnswer.TOPIC, null)));
        } catch (RpcException e) {
            throw e.errno().equals(Errno.ENOSYS) ? StateDocument.broker() : e;
        }
    }

    public InventoryState state() {
        return answer.state();
    }

    public ResourceSet resources() {
        return answer.state().resources();
    }

    public List<Scheduler> schedulers() {
        return answer.schedulers();
    }

    public List<JobUsage> usage() {
        return answer.usage();
    }

    public double time() {
        return answer.time();
    }

    /** Returns the daemon's time, so that ages are right even if the clocks differ. */
    public double now(Console console) {
        return answer.time();
    }

    /** Returns the first keys of every JSON output about the inventory. */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", SCHEMA_VERSION).put("seq", answer.seq());
        json.put("time", Times.rfc3339(answer.time()));
        json.put("fault", answer.fault().isEmpty() ? null : answer.fault());
        json.put("clock", answer.clock().isEmpty() ? null : answer.clock());
        ArrayNode reported = json.putArray("usage");
        answer.usage().forEach(each -> reported.add(each.toJson()));
        return json;
    }
}
