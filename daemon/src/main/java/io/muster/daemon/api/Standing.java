package io.muster.daemon.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Rights;
import io.muster.daemon.config.Right;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.http.Answer;
import io.muster.inventory.axis.Times;
import io.muster.inventory.rset.Group;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.wire.Bytes;
import java.util.Arrays;

/** The routes about the daemon itself and about what changes with R only, which a page shows beside the hosts. */
final class Standing {
    private Standing() {}

    /** Answers with the condition of the daemon, its schedulers, and the user that asks. The answer has the time, so it has no ETag. */
    static void service(Api api, Call call) {
        api.onCore(call, () -> {
            Inventory inventory = api.inventory();
            ObjectNode json = api.situation().document();
            json.put("time", Times.rfc3339(inventory.now())).put("journal_bytes", inventory.journalBytes());
            json.put("event_readers", api.eventReaders());
            ArrayNode schedulers = json.putArray("schedulers");
            api.backend().queries().schedulers().forEach(each -> schedulers.add(each.toJson()));
            Views.usage(api.situation(), json);
            json.set("caller", caller(json, call.rights()));
            call.exchange()
                    .answer(Answer.of(200, Answer.JSON, Views.encode(json)).packed(call.ask()));
        });
    }

    private static ObjectNode caller(ObjectNode document, Rights rights) {
        ObjectNode caller = document.objectNode().put("user", rights.principal().names());
        ArrayNode words = caller.putArray("rights");
        Arrays.stream(Right.values()).filter(rights::allow).map(Right::word).forEach(words::add);
        ArrayNode holders = caller.putArray("holders");
        rights.holders().stream().sorted().forEach(holders::add);
        return caller;
    }

    /** Returns cores, GPUs and properties of hosts, with one entry for all hosts that are alike. */
    static Bytes layout(Situation now, InventoryState state, Call call) {
        ObjectNode json = now.document();
        ArrayNode groups = json.putArray("resources");
        for (Group group : state.resources().groups()) {
            ObjectNode each = groups.addObject().put("ranks", group.ranks().toString());
            for (String type : new String[] {"core", "gpu"}) {
                var ids = group.children().get(type);
                each.put("n" + type + "s", ids == null ? 0 : ids.size());
            }
        }
        ObjectNode properties = json.putObject("properties");
        state.resources().properties().forEach((name, ranks) -> properties.put(name, ranks.toString()));
        return Views.encode(json);
    }
}
