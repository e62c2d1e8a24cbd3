package io.muster.daemon.etcd;

import io.muster.daemon.etcd.Etcd.Compare;
import io.muster.daemon.etcd.Etcd.Entry;
import io.muster.daemon.etcd.Etcd.Op;
import io.muster.daemon.etcd.Etcd.Result;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.Roster;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ledger's keys in etcd: reads them, and writes them on the condition that the writer leads. Belongs to one thread. */
class Store implements Closeable {
    /** The number of groups that are read at once. */
    static final int PAGE = 64;

    /** How long a transaction without long values may take before it is tried at another member. */
    static final int ATTEMPT_MILLIS = 1500;

    /** How long the write of one long value may take, and a read after one that was not answered. */
    static final int SLOW_ATTEMPT_MILLIS = 3000;

    /** How long a read may take that may have a long answer. */
    static final int LONG_ATTEMPT_MILLIS = 10_000;
    /** Each request stays below the length that etcd accepts, and pieces are read a few at a time. */
    private static final int PIECES_AT_ONCE = 8;

    private static final int MOST_READ = 64;

    private final Etcd etcd;
    private volatile Roster roster = new Roster(0, List.of());
    private final Keys keys;
    private final Machine machine;
    /** What the texts mean that were read before: a daemon reads the same ones ten times a second. */
    private final Map<String, Leader> meanings = new HashMap<>();

    Store(Etcd etcd, Keys keys, Machine machine) {
        this.etcd = etcd;
        this.keys = keys;
        this.machine = machine;
    }

    /**
     * The result of one linearizable transaction.
     *
     * @param asked the monotonic time in nanoseconds when the transaction was sent
     * @param id the ledger's id; "" if there is none
     * @param leader the key of the leader; null if no daemon leads
     * @param groups groups from a seq on, in order
     * @param members the daemons that share the ledger
     * @param clock the time of a leader; null if none has written it
     */
    record View(
            long asked,
            String id,
            @Nullable Entry leader,
            EventGroup.Head head,
            List<EventGroup> groups,
            List<Leader> members,
            @Nullable Entry clock) {
        /** The term of the leader; 0 if no daemon leads. */
        long term() {
            return leader == null ? 0 : leader.modRevision();
        }
    }

    /**
     * Reads the leader, the end of the log, and some groups of the log.
     *
     * @param from the seq from which groups are read
     * @param timeoutMillis how long the answer may take
     */
    View view(long from, int groups, int timeoutMillis) throws EtcdException, ForeignException {
        long asked = machine.nanos();
        Result result = etcd.read(
                List.of(
                        Op.Get.one(keys.id()),
                        Op.Get.one(keys.leader()),
                        Op.Get.one(keys.head()),
                        Op.Get.range(keys.log(from), keys.logEnd(), groups),
                        allMembers(),
                        Op.Get.one(keys.clock())),
                timeoutMillis);
        Entry id = result.one(0);
        Entry head = result.one(2);
        List<EventGroup> found = new ArrayList<>();
        for (Entry entry : result.found().get(3)) {
            found.add(EventGroup.parse(entry));
        }
        View view = new View(
                asked,
                id == null ? "" : id.text(),
                result.one(1),
                head == null ? EventGroup.Head.NONE : EventGroup.Head.parse(head),
                found,
                result.found().get(4).stream()
                        .map(Entry::text)
                        .map(this::leader)
                        .toList(),
                result.one(5));
        roster = new Roster(view.term(), view.members());
        return view;
    }

    /** Returns which daemon a text presents. */
    Leader leader(String text) {
        if (meanings.size() == MOST_READ) {
            meanings.clear();
        }
        return meanings.computeIfAbsent(text, Leader::parse);
    }

    /** The roster as of the last view. Any thread may call this. */
    Roster roster() {
        return roster;
    }

    /** The last group that begins with {@code seq} or before; null if none is kept. */
    @Nullable
    EventGroup groupAt(long seq) throws EtcdException, ForeignException {
        Entry found = read(List.of(lastGroup(seq))).one(0);
        return found == null ? null : EventGroup.parse(found);
    }

    private Op.Get lastGroup(long seq) {
        return new Op.Get(keys.log(0), keys.log(seq + 1), 1, true, false);
    }

    /** Completes a group with its parts; null if the group was deleted meanwhile. */
    @Nullable
    EventGroup whole(EventGroup group) throws EtcdException, ForeignException {
        if (group.parts() == 0) {
            return group;
        }
        String parts = keys.parts(group.txn());
        byte[] pieces = pieces(parts, group.parts());
        if (pieces != null) {
            return group.with(pieces);
        }
        String key = keys.log(group.first());
        if (etcd.read(List.of(Op.Get.one(key)), ATTEMPT_MILLIS).one(0) != null) {
            throw new ForeignException(key + " in etcd has " + group.parts() + " pieces below " + parts
                    + ", and some of them are missing: somebody else has deleted them");
        }
        return null;
    }

    /** The pieces one after another; null if one is missing. */
    byte @Nullable [] pieces(String parts, int count) throws EtcdException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int from = 0; from < count; from += PIECES_AT_ONCE) {
            int to = Math.min(count, from + PIECES_AT_ONCE);
            List<Entry> found = etcd.read(
                            List.of(Op.Get.range(Keys.piece(parts, from), Keys.piece(parts, to), PIECES_AT_ONCE)),
                            LONG_ATTEMPT_MILLIS)
                    .found()
                    .get(0);
            if (found.size() != to - from) {
                return null;
            }
            found.forEach(piece -> all.writeBytes(piece.value()));
        }
        return all.toByteArray();
    }

    /** Gives the ledger an id, if it has none and no events. */
    void found(String id) throws EtcdException {
        etcd.transact(
                List.of(new Compare(keys.id(), 0), new Compare(keys.head(), 0)),
                List.of(new Op.Put(keys.id(), id)),
                List.of(),
                ATTEMPT_MILLIS);
    }

    /** Gives a ledger that was imported its id. */
    void name(long term, String id) throws EtcdException, ForeignException {
        boolean named = etcd.transact(
                        List.of(leads(term), new Compare(keys.id(), 0)),
                        List.of(new Op.Put(keys.id(), id)),
                        List.of(),
                        ATTEMPT_MILLIS)
                .succeeded();
        if (!named) {
            throw new ForeignException("another program has written below " + keys.prefix()
                    + " during the import: delete the keys there and try again");
        }
    }

    /** Makes the log of a ledger without events begin after a snapshot. */
    EventGroup.Head begin(long term, long seq, String txn) throws EtcdException, ForeignException {
        EventGroup empty = new EventGroup(seq + 1, seq, txn, "", Level.ONE, 0, 0, List.of());
        Result result = etcd.transact(
                List.of(leads(term), new Compare(keys.head(), 0)),
                List.of(new Op.Put(keys.head(), empty.head())),
                List.of(),
                ATTEMPT_MILLIS);
        if (!result.succeeded()) {
            throw new ForeignException("the ledger in etcd has events already");
        }
        return new EventGroup.Head(seq, txn, result.revision());
    }

    /** Writes the key of the leader, if no daemon leads. */
    void campaign(String card, long lease) throws EtcdException {
        etcd.transact(
                List.of(new Compare(keys.leader(), 0)),
                List.of(new Op.Put(keys.leader(), card.getBytes(java.nio.charset.StandardCharsets.UTF_8), lease)),
                List.of(),
                ATTEMPT_MILLIS);
    }

    /** Deletes the key of the leader of a term, if that term has not ended. */
    void resign(long term) throws EtcdException {
        etcd.transact(List.of(leads(term)), List.of(new Op.Delete(keys.leader(), "")), List.of(), ATTEMPT_MILLIS);
    }

    /**
     * Ends the term of this daemon.
     *
     * @param term 0 if this daemon does not lead; the key of the leader may still name it
     * @return false if etcd did not answer: the end of the lease ends the term then
     */
    boolean handOver(long term, Leader self) {
        try {
            if (term == 0) {
                resign(self);
            } else {
                resign(term);
            }
            return true;
        } catch (EtcdException e) {
            return false;
        }
    }

    /**
     * Deletes the key of the leader if it names a daemon that does not lead: while the key exists, no other daemon can lead.
     */
    void resign(Leader self) {
        try {
            Entry key = read(List.of(Op.Get.one(keys.leader()))).one(0);
            if (key != null && leader(key.text()).isSame(self)) {
                resign(key.modRevision());
            }
        } catch (EtcdException e) {
            // the caller tries again
        }
    }

    /**
     * Writes a group after {@code head}. The result of a refused condition has the keys of leader and head.
     *
     * @param parts the condition that the parts of the group are in etcd; null if it has none
     */
    Result append(long term, EventGroup.Head head, @Nullable Compare parts, EventGroup group) throws EtcdException {
        Compare after = new Compare(keys.head(), head.revision());
        return etcd.transact(
                parts == null ? List.of(leads(term), after) : List.of(leads(term), after, parts),
                List.of(new Op.Put(keys.log(group.first()), group.value(), 0), new Op.Put(keys.head(), group.head())),
                List.of(Op.Get.one(keys.leader()), Op.Get.one(keys.head())),
                ATTEMPT_MILLIS);
    }

    /** The condition that the term has not ended. */
    Compare leads(long term) {
        return new Compare(keys.leader(), term);
    }

    /** The condition that the log has the transaction that wrote the event with this seq; null if it does not have it. */
    @Nullable
    Compare has(long seq, String txn) throws EtcdException, ForeignException {
        Result result = read(List.of(lastGroup(seq), Op.Get.one(keys.head())));
        Entry group = result.one(0);
        if (group != null && EventGroup.parse(group).txn().equals(txn)) {
            return new Compare(group.key(), group.modRevision());
        }
        Entry head = result.one(1); // the log of an import begins after a snapshot, and has no group for it
        return head != null && EventGroup.Head.parse(head).txn().equals(txn)
                ? new Compare(head.key(), head.modRevision())
                : null;
    }

    /**
     * Writes a piece under a name that no other transaction uses, unless an earlier attempt has written it.
     *
     * @param before another condition: that the piece before is in etcd, because etcd may be restored from a backup meanwhile
     * @return the condition that this piece is in etcd; null if a condition was not true
     */
    @Nullable
    Compare putPiece(long term, Compare before, String parts, int number, byte[] piece) throws EtcdException {
        String key = Keys.piece(parts, number);
        Result result = etcd.transact(
                List.of(leads(term), before, new Compare(key, 0)),
                List.of(new Op.Put(key, piece, 0)),
                List.of(new Op.Get(key, "", 1, false, true)),
                SLOW_ATTEMPT_MILLIS);
        if (result.succeeded()) {
            return new Compare(key, result.revision());
        }
        Entry written = result.one(0);
        return written == null ? null : new Compare(key, written.modRevision());
    }

    /**
     * Carries out operations on the condition that the term has not ended.
     *
     * @return false if the term has ended
     */
    boolean fenced(long term, List<Op> operations, int timeoutMillis) throws EtcdException {
        return etcd.transact(List.of(leads(term)), operations, List.of(), timeoutMillis)
                .succeeded();
    }

    private Op.Get allMembers() {
        String all = keys.members();
        return Op.Get.range(all, Keys.end(all), 0);
    }

    Result read(List<Op> gets) throws EtcdException {
        return etcd.read(gets, LONG_ATTEMPT_MILLIS);
    }

    Machine machine() {
        return machine;
    }

    Keys keys() {
        return keys;
    }

    Etcd etcd() {
        return etcd;
    }

    @Override
    public void close() {
        etcd.close();
    }
}
