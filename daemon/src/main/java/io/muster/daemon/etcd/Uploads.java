package io.muster.daemon.etcd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.etcd.Etcd.Compare;
import io.muster.daemon.etcd.Etcd.Entry;
import io.muster.daemon.etcd.Etcd.Op;
import io.muster.daemon.etcd.Etcd.Result;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots in etcd. A snapshot is written in pieces under a new name and then published, and only then the log before
 * the previous snapshot is deleted; each step on the condition that the writer leads. Belongs to one thread.
 */
final class Uploads {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int LONGEST = 1 << 30;

    private final Store store;
    private int count;

    Uploads(Store store) {
        this.store = store;
    }

    /**
     * A snapshot as {@code snapshot} describes it.
     *
     * @param name the part of the keys of its pieces after {@code snapshot/}
     * @param txn the transaction that wrote the last event in the state
     * @param bytes the size of the state
     */
    record Ref(
            String name, long seq, String txn, double time, int level, String needs, int parts, int bytes, String crc) {
        static Ref parse(JsonNode json) {
            return new Ref(
                    json.path("name").asText(),
                    json.path("seq").asLong(),
                    json.path("txn").asText(),
                    json.path("time").asDouble(),
                    json.path("level").asInt(),
                    json.path("needs").asText(),
                    json.path("parts").asInt(),
                    json.path("bytes").asInt(),
                    json.path("crc32c").asText());
        }

        ObjectNode toJson() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("name", name).put("seq", seq).put("txn", txn).put("time", time);
            json.put("level", level).put("needs", needs);
            return json.put("parts", parts).put("bytes", bytes).put("crc32c", crc);
        }
    }

    /**
     * What {@code snapshot} says.
     *
     * @param revision the revision of {@code snapshot}
     * @param terms the terms of the events in the current snapshot
     */
    record Published(long revision, @Nullable Ref current, Terms terms) {}

    Published published() throws EtcdException, ForeignException {
        List<Op> get = List.of(Op.Get.one(store.keys().snapshot()));
        Entry entry = store.etcd().read(get, Store.ATTEMPT_MILLIS).one(0);
        if (entry == null) {
            return new Published(0, null, Terms.NONE);
        }
        try {
            JsonNode json = JSON.readTree(entry.text());
            return new Published(entry.modRevision(), Ref.parse(json.path("current")), Terms.parse(json.path("terms")));
        } catch (JsonProcessingException e) {
            throw new ForeignException(entry.key() + " in etcd is damaged", e);
        }
    }

    /** The state of a snapshot; null if it was deleted meanwhile. */
    byte @Nullable [] load(Ref ref) throws EtcdException, ForeignException {
        if (!Level.isKnown(ref.level)) {
            throw new ForeignException("the snapshot in etcd is written in " + Level.unknown(ref.level, ref.needs));
        }
        byte[] packed = store.pieces(store.keys().snapshots(ref.name), ref.parts);
        if (packed == null) {
            return null;
        }
        try {
            if (ref.bytes < 0 || ref.bytes > LONGEST) {
                throw new IOException("its size is " + ref.bytes);
            }
            byte[] state = Pack.inflate(packed, ref.bytes);
            if (!crc(state).equals(ref.crc)) {
                throw new IOException("the checksum does not match");
            }
            return state;
        } catch (IOException e) {
            throw new ForeignException("the snapshot at seq " + ref.seq + " in etcd is damaged: " + e.getMessage(), e);
        }
    }

    private static String crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }

    /**
     * Writes and publishes a snapshot, and deletes everything that only earlier snapshots need.
     *
     * @param txn the transaction that wrote the event with this seq
     * @param terms the terms of the events up to this one
     * @return false if the term has ended, a later snapshot is published, or etcd was restored from a backup without this event or
     *     a piece
     */
    boolean publish(long term, long seq, String txn, Terms terms, double time, Level level, byte[] state)
            throws EtcdException, ForeignException {
        Published before = published();
        Ref previous = before.current();
        if (previous != null && previous.seq >= seq) {
            return false;
        }
        String name = String.format(Locale.ROOT, "%016d-%x-%d", seq, term, ++count);
        List<byte[]> pieces = Pack.pieces(Pack.deflate(state));
        Compare there = store.has(seq, txn);
        for (int i = 0; there != null && i < pieces.size(); i++) {
            there = store.putPiece(term, there, store.keys().snapshots(name), i, pieces.get(i));
        }
        if (there == null) {
            return false;
        }
        Ref next =
                new Ref(name, seq, txn, time, level.number(), level.needs(), pieces.size(), state.length, crc(state));
        ObjectNode both = JsonNodeFactory.instance.objectNode();
        both.set("current", next.toJson());
        if (previous != null) {
            both.set("previous", previous.toJson());
        }
        both.set("terms", terms.toJson());
        Result put = put(term, there, before.revision(), both);
        if (put.succeeded() && previous != null) {
            prune(term, put.revision(), previous);
        }
        return put.succeeded();
    }

    private Result put(long term, Compare there, long revision, ObjectNode both) throws EtcdException {
        Keys keys = store.keys();
        return store.etcd()
                .transact(
                        List.of(store.leads(term), there, new Compare(keys.snapshot(), revision)),
                        List.of(new Op.Put(keys.snapshot(), both.toString())),
                        List.of(),
                        Store.ATTEMPT_MILLIS);
    }

    /**
     * Deletes the log, the parts and the snapshots from before a snapshot. Their names begin with a seq of 16 digits.
     *
     * @param published the revision in which {@code snapshot} was written. Another one is that of an etcd that was restored from a backup
     *     meanwhile, which needs what it has
     */
    private void prune(long term, long published, Ref oldest) throws EtcdException {
        Keys keys = store.keys();
        String next = Keys.digits(oldest.seq + 1, 16);
        store.etcd()
                .transact(
                        List.of(store.leads(term), new Compare(keys.snapshot(), published)),
                        List.of(
                                new Op.Delete(keys.log(0), keys.log(oldest.seq + 1)),
                                new Op.Delete(keys.parts(), keys.parts() + next),
                                new Op.Delete(keys.snapshots(), keys.snapshots() + oldest.name)),
                        List.of(),
                        Store.LONG_ATTEMPT_MILLIS);
    }
}
