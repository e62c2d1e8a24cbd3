package io.muster.daemon.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Rights;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.ledger.Role;
import io.muster.daemon.ledger.Roster;
import io.muster.daemon.tls.Certificates;
import io.muster.inventory.axis.Times;
import io.muster.protocol.operation.Right;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers with the condition of the daemon, its schedulers, and the user that asks. Runs on the core thread. */
public final class DaemonDocument {
    private final Inventory inventory;
    private final Queries queries;
    private final Ledger ledger;
    private final Supplier<List<Certificates.Expiry>> certificates;
    private final Aside beside;
    private IntSupplier readers = () -> 0;

    /** @param certificates returns what expires */
    public DaemonDocument(
            Inventory inventory,
            Queries queries,
            Ledger ledger,
            Supplier<List<Certificates.Expiry>> certificates,
            Aside beside) {
        this.inventory = inventory;
        this.queries = queries;
        this.ledger = ledger;
        this.certificates = certificates;
        this.beside = beside;
    }

    /** @param count returns the number of readers of events */
    public void countReaders(IntSupplier count) {
        readers = count;
    }

    /** Answers in a later task, so that a peer that sends many requests lets others have their turn. */
    void ask(Rights caller, Replier reply) {
        beside.run(() -> () -> reply.done(of(caller)), bug -> reply.fail(new RpcException(Errno.EIO, bug)));
    }

    /** Answers with the brakes, in a later task. */
    void brakes(Replier reply) {
        beside.run(
                () -> () -> reply.done(Documents.encode(inventory.brakes().document())),
                bug -> reply.fail(new RpcException(Errno.EIO, bug)));
    }

    /** Returns the document; for guests without the daemons that share the ledger and the certificates. */
    private Bytes of(Rights caller) {
        boolean isGuest = caller.areAGuests();
        ObjectNode json = queries.situation().document();
        json.put("host", queries.host()).put("time", Times.rfc3339(inventory.now()));
        json.put("journal_bytes", inventory.journalBytes()).put("event_readers", readers.getAsInt());
        Situation now = queries.situation();
        now.putLeading(json);
        now.putLifetime(json);
        json.set("ledger", ledger(json, isGuest ? null : ledger.role()));
        ArrayNode ends = json.putArray("certificates");
        (isGuest ? List.<Certificates.Expiry>of() : certificates.get())
                .forEach(each -> ends.addObject()
                        .put("kind", each.kind().word())
                        .put("file", each.file().toString())
                        .put("address", each.address())
                        .put("end", Times.rfc3339((double) each.end().getEpochSecond())));
        json.set("caller", caller(json, caller));
        return Documents.encode(json);
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
        ObjectNode caller = document.objectNode().put("user", rights.principal().user());
        ArrayNode words = caller.putArray("rights");
        Arrays.stream(Right.values()).filter(rights::allow).map(Right::word).forEach(words::add);
        ArrayNode holders = caller.putArray("holders");
        rights.holders().stream().sorted().forEach(holders::add);
        return caller;
    }
}
