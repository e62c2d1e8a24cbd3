package io.muster.daemon.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Rights;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.http.Answer;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.Role;
import io.muster.daemon.ledger.Roster;
import io.muster.inventory.axis.Times;
import io.muster.inventory.rset.Group;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The routes about the daemon itself and about properties that change with R only, which a page shows beside the hosts. */
final class Standing {
    private Standing() {}

    /** Answers with the condition of the daemon, its schedulers, and the user that asks. The answer has the time, so it has no ETag. */
    static void service(Api api, Call call) {
        api.onCore(call, () -> {
            Inventory inventory = api.inventory();
            ObjectNode json = api.situation().document();
            json.put("host", api.backend().queries().host()).put("time", Times.rfc3339(inventory.now()));
            json.put("journal_bytes", inventory.journalBytes()).put("event_readers", api.eventReaders());
            ArrayNode schedulers = json.putArray("schedulers");
            api.backend().queries().schedulers().forEach(each -> schedulers.add(each.toJson()));
            Views.usage(api.situation(), json);
            json.set("ledger", ledger(json, api.ledger().role()));
            ArrayNode certificates = json.putArray("certificates");
            api.certificates()
                    .expiries()
                    .forEach(each -> certificates
                            .addObject()
                            .put("kind", each.kind().word())
                            .put("file", each.file().toString())
                            .put("address", each.address())
                            .put("end", Times.rfc3339((double) each.end().getEpochSecond())));
            json.set("caller", caller(json, call.rights()));
            call.exchange()
                    .answer(Answer.of(200, Answer.JSON, Views.encode(json)).packed(call.ask()));
        });
    }

    /** Returns the daemons that share the ledger, as the daemon last read them, so this does not wait for etcd. */
    private static JsonNode ledger(ObjectNode document, @Nullable Role role) {
        if (role == null) {
            return document.nullNode();
        }
        Leader leader = role.leader();
        Roster roster = role.roster();
        ObjectNode ledger = document.objectNode().put("leads", role.term() != 0);
        ledger.put("leader", leader == null ? null : leader.member());
        ledger.put("term", leader == null ? 0 : roster.term());
        ledger.put("lag", role.lag()).put("age", role.age());
        ArrayNode members = ledger.putArray("members");
        roster.members().forEach(member -> members.add(member.described(member.isSame(leader))));
        return ledger;
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
