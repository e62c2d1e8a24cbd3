package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the last changes: {@value #MOST} at most, and none that is half an hour older than the newest. The times are those of the
 * events, and no clock is asked: a daemon whose clock is wrong forgets no id when it begins to lead. Clients are promised ten minutes. The
 * other twenty are for steps of the clock that are not doubted, by {@code muster.clock-jump} at most, which is 15 minutes by default. An id
 * belongs to the user who gave it; the same id of another user is another id. Immutable; a change and a look-up take O(log n).
 */
public final class ChangeIds {
    public static final int MOST = 1 << 16;
    public static final double SECONDS = 1800;

    static final ChangeIds NONE = new ChangeIds(SortedTree.empty(), SortedTree.empty());

    private final SortedTree<Key, Given> byKey;
    private final SortedTree<Long, Given> bySeq;

    private ChangeIds(SortedTree<Key, Given> byKey, SortedTree<Long, Given> bySeq) {
        this.byKey = byKey;
        this.bySeq = bySeq;
    }

    /**
     * An id that led to a change.
     *
     * @param seq sequence number of the last entry of the change
     */
    record Given(ChangeId id, int uid, double time, long seq) {
        static Given of(ChangeId id, Principal by, double time, long seq) {
            Key key = Key.of(id.id(), by);
            return new Given(new ChangeId(key.id, id.request()), key.uid, time, seq);
        }

        static Given read(Fields in) {
            return new Given(
                    new ChangeId(ChangeIds.read(in), in.text("request")),
                    Principal.readUid(in),
                    Epoch.seconds(in, "time"),
                    in.integer("seq", 1, Long.MAX_VALUE));
        }

        /** Writes the members into the current JSON object. */
        void write(JsonGenerator out) throws IOException {
            out.writeStringField("id", id.id().toString());
            out.writeStringField("request", id.request());
            Principal.writeUid(out, uid);
            Epoch.write(out, "time", time);
            out.writeNumberField("seq", seq);
        }
    }

    private record Key(int uid, UUID id) implements Comparable<Key> {
        static Key of(Given given) {
            return new Key(given.uid, given.id.id());
        }

        /**
         * Returns the key of a person's id. The snapshot names a person by uid. Persons without a uid are distinguished by an
         * id that is computed from the name and the id.
         */
        static Key of(UUID id, Principal by) {
            Principal person = by.person();
            return new Key(person.uid(), person.uid() == Principal.NO_UID ? ChangeId.ofNamed(person.user(), id) : id);
        }

        @Override
        public int compareTo(Key other) {
            return uid == other.uid ? id.compareTo(other.id) : Integer.compare(uid, other.uid);
        }
    }

    static UUID read(Fields in) {
        try {
            return ChangeId.parse(in.text("id"));
        } catch (IllegalArgumentException e) {
            throw in.fault("id", "must be a UUID");
        }
    }

    int size() {
        return byKey.size();
    }

    /** Returns the remembered change to which this user gave this id, or null. */
    @Nullable
    Given find(UUID id, Principal by) {
        return byKey.get(Key.of(id, by));
    }

    /** Adds the newest id, and forgets those that are too old or too many. */
    ChangeIds with(Given given) {
        Key key = Key.of(given);
        Given before = byKey.get(key);
        ChangeIds next = before == null ? this : without(before);
        next = new ChangeIds(next.byKey.withNew(key, given), next.bySeq.with(given.seq, given));
        Given oldest = next.bySeq.first();
        while (oldest != null && (next.size() > MOST || oldest.time + SECONDS < given.time)) {
            next = next.without(oldest);
            oldest = next.bySeq.first();
        }
        return next;
    }

    private ChangeIds without(Given given) {
        return new ChangeIds(byKey.without(Key.of(given)), bySeq.without(given.seq));
    }

    /** Returns all ids, the oldest first. */
    List<Given> all() {
        return bySeq.values();
    }
}
