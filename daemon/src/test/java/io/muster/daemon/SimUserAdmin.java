package io.muster.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.admin.RequestId;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An admin behind a relay, who drains one host after the other. Most requests have an id, and are sent again until an answer says what
 * became of them; the others are sent once.
 */
final class SimUserAdmin extends SimUser {
    /** The errors that say that nothing was changed. An earlier attempt may still be under way, and change something later. */
    private static final Set<Integer> REFUSALS =
            Set.of(Errno.EINVAL.value(), Errno.EEXIST.value(), Errno.EBUSY.value());

    /** The errors after which a change may be sent again. */
    private static final Set<Integer> LATER =
            Set.of(Errno.EAGAIN.value(), Errno.EROFS.value(), Errno.EHOSTUNREACH.value());

    private final String stem;
    /** Whether the admin waits for each answer, as long as the relay runs, so that the cluster is not well before the answer. */
    private final boolean patient;

    /** The changes in the log by their reasons, since etcd has lost events. */
    private final Map<String, Long> made = new HashMap<>();

    /** The reasons of changes without an id that were not made, says the answer. */
    private final Set<String> never = new HashSet<>();

    private long age;

    private int matchtag;
    private int count;
    private @Nullable Change open;
    private boolean connected;
    long done;

    private record Change(
            String reason, Bytes payload, @Nullable UUID id, long floor, long age) {}

    SimUserAdmin(SimCluster cluster, SimLoginHost host, int uid) {
        super(cluster, host, uid);
        patient = uid % 2 == 0;
        stem = "far" + uid + " change ";
        cluster.witness().watch(this::written);
    }

    private void written(Entry entry, InventoryState before) {
        String reason = entry.event() instanceof HoldChanges.Drained drained ? drained.reason() : null;
        if (reason == null || !reason.startsWith(stem)) {
            return;
        }
        if (age != cluster.age()) {
            age = cluster.age();
            made.clear();
        }
        SimWitness.require(!never.contains(reason), () -> "\"" + reason + "\" is made after an answer that it was not");
        SimWitness.require(made.put(reason, entry.seq()) == null, () -> "\"" + reason + "\" is made twice");
    }

    @Override
    void welcome() {
        connected = true;
        if (open == null) {
            begin();
        } else {
            attempt();
        }
    }

    private void begin() {
        if (!connected || open != null) {
            return;
        }
        if (!cluster.isBusy()) {
            later(100, this::begin);
            return;
        }
        String reason = stem + ++count;
        ObjectNode payload = JsonNodeFactory.instance
                .objectNode()
                .put("targets", Integer.toString(random.nextInt(SimCluster.RANKS + 1)))
                .put("reason", reason)
                .put("mode", "overwrite");
        UUID id = random.nextBoolean() ? null : new UUID(random.nextLong(), random.nextLong());
        if (id != null) {
            RequestId.give(payload, id);
        }
        open = new Change(reason, Json.encode(payload), id, cluster.floor(), cluster.age());
        attempt();
    }

    private void attempt() {
        Change sent = open;
        if (sent == null) {
            return;
        }
        int tag = ++matchtag;
        note("sends " + sent.payload.text());
        send(Request.of("resource.drain", sent.payload, 0, tag));
        if (patient) {
            return;
        }
        later(2000 + random.nextInt(40_000), () -> {
            if (sent.equals(open) && matchtag == tag && connected) {
                leave();
            }
        });
    }

    @Override
    void receive(Response response) {
        Change sent = open;
        Bytes payload = response.payload();
        note("is answered: " + response.errnum() + " " + (payload == null ? "" : payload.text()));
        SimWitness.require(sent != null && response.matchtag() == matchtag, "an answer to no request");
        if (sent == null) {
            return;
        }
        if (sent.age != cluster.age() && (response.errnum() == 0 || REFUSALS.contains(response.errnum()))) {
            finish(); // etcd has lost events meanwhile, perhaps that of this change
        } else if (response.errnum() == 0) {
            done(sent);
        } else if (REFUSALS.contains(response.errnum())) {
            SimWitness.require(!made.containsKey(sent.reason), () -> sent.reason + " is refused, and in the log");
            finish();
        } else {
            boolean isLost = sent.id == null && response.errnum() == Errno.ECONNRESET.value();
            SimWitness.require(
                    isLost || LATER.contains(response.errnum()), () -> "an answer with error " + response.errnum());
            boolean isUnknown = isLost
                    || (payload != null
                            && SimAdmin.UNKNOWN.matcher(payload.text()).find());
            if (sent.id == null && !isUnknown) {
                never.add(sent.reason);
            }
            int ended = ++matchtag;
            later(50 + random.nextInt(500), () -> {
                if (sent.equals(open) && matchtag == ended) {
                    unknown(sent);
                }
            });
        }
    }

    private void unknown(Change sent) {
        if (sent.id == null) {
            finish();
        } else if (connected) {
            attempt();
        }
    }

    private void done(Change sent) {
        long seq = made.getOrDefault(sent.reason, 0L);
        SimWitness.require(seq > 0, () -> "\"" + sent.reason + "\" was answered, and the log lacks it");
        SimWitness.require(
                seq > sent.floor,
                () -> "\"" + sent.reason + "\" is at " + seq + ", but was sent after the answer to " + sent.floor);
        cluster.answered(seq);
        finish();
    }

    private void finish() {
        open = null;
        done++;
        later(random.nextInt(cluster.thinkMillis()), this::begin);
    }

    @Override
    void ended() {
        connected = false;
        matchtag++;
        Change sent = open;
        if (sent != null && sent.id == null) {
            open = null;
        }
    }

    boolean isIdle() {
        return open == null;
    }

    @Override
    public String toString() {
        return open == null ? "idle" : open.reason;
    }
}
