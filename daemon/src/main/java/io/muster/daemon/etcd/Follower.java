package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log, applies it to this daemon and to its local copy, and checks that the log continues the events of this
 * daemon. Used by the thread {@code ledger} only, unless a method says otherwise.
 */
final class Follower {
    private static final String CURE =
            "`muster ledger import` below an empty prefix puts this daemon's copy in etcd's place,"
                    + " and an empty state directory gives the copy up";

    private final Store store;
    private final Uploads uploads;
    private final LocalCopy local;
    private final ObjLongConsumer<String> reached;
    private final Duration patience;
    private final Machine machine;

    private volatile EventGroup.Head head;
    private volatile long heardAt;
    private volatile long lag;
    /** Whether the last attempt to read was not answered. */
    private boolean unanswered;

    /** Whether the place of the local copy in the log is known. */
    private boolean anchored;

    private @Nullable Open open;

    /**
     * A group whose outcome is open: only the log can show whether the group was written.
     *
     * @param resolved receives true if the group was written, false if it was not, and null if the outcome cannot be found
     *     out
     */
    private record Open(
            long first, String txn, List<List<byte[]>> commands, long since, Consumer<@Nullable Boolean> resolved) {}

    /** @param reached is given each transaction before it is applied, with the seq of its last event */
    Follower(Store store, LocalCopy local, ObjLongConsumer<String> reached, EtcdSettings settings) {
        this.store = store;
        this.reached = reached;
        this.uploads = new Uploads(store);
        this.local = local;
        this.machine = settings.machine();
        this.patience = settings.patience();
        this.heardAt = machine.nanos();
        this.head = new EventGroup.Head(local.last(), "", 0);
    }

    /** The seq of the last event that was applied. Any thread may call this. */
    long seq() {
        return head.seq();
    }

    /** When the last read was sent that found nothing new, in the time of the monotonic clock. Any thread may call this. */
    long heardAt() {
        return heardAt;
    }

    /** Any thread may call this. */
    long lag() {
        return lag;
    }

    /**
     * Continues after the last group that this daemon has written.
     *
     * @param led when the daemon was last known to lead, so that it had the newest state
     */
    void resume(EventGroup.Head written, long led) {
        reached.accept(written.txn(), written.seq());
        head = written;
        heardAt = Math.max(heardAt, led);
    }

    /** Waits for the log to show whether a group was written. No daemon can write the group any more. */
    void resolve(long first, String txn, List<List<byte[]>> commands, Consumer<@Nullable Boolean> resolved) {
        open = new Open(first, txn, commands, machine.nanos(), resolved);
    }

    /** Whether the outcome of a group is open. */
    boolean isOpen() {
        return open != null;
    }

    /** Ends the wait for the outcome of a group if the wait is too long. */
    void loseHope() {
        if (open != null && machine.nanos() - open.since > patience.toNanos()) {
            giveUp();
        }
    }

    /** Ends the wait for the outcome of a group, if there is one. The outcome stays unknown. */
    void giveUp() {
        close(null);
    }

    private void close(@Nullable Boolean durable) {
        Open resolved = open;
        open = null;
        if (resolved != null) {
            resolved.resolved.accept(durable);
        }
    }

    /**
     * Reads once, and applies new events.
     *
     * @return the view that was read, if it has nothing new; null if there may be more to read
     */
    Store.@Nullable View read(RoleActions actions) throws IOException, InterruptedException {
        boolean again = unanswered;
        unanswered = true;
        // After a read without an answer, the next member gets more time, and is asked for little: it may fail too.
        int millis = again ? Store.SLOW_ATTEMPT_MILLIS : lag > 0 ? Store.LONG_ATTEMPT_MILLIS : Store.ATTEMPT_MILLIS;
        Store.View view = store.view(head.seq() + 1, again ? 1 : Store.PAGE, millis);
        unanswered = false;
        if (!isOurs(view)) {
            return null;
        }
        if (view.head().seq() < head.seq()) {
            throw new ForeignException("the ledger in etcd ends with seq "
                    + view.head().seq() + ", and this daemon has seq " + head.seq()
                    + ": was etcd restored from a backup? " + CURE);
        }
        if (!anchored) {
            anchor(actions);
            return null;
        }
        for (EventGroup group : view.groups()) {
            if (group.first() != head.seq() + 1) {
                load(actions);
                return null;
            }
            if (!apply(group, actions)) {
                return null;
            }
        }
        lag = view.head().seq() - head.seq();
        if (lag > 0) {
            if (view.groups().isEmpty()) {
                load(actions);
            }
            return null;
        }
        check(view.head().txn(), "the last transaction of the ledger in etcd");
        head = view.head();
        heardAt = view.asked();
        close(false);
        refill(head.seq());
        return view;
    }

    /** Whether etcd holds the ledger of which this daemon has a copy. A new ledger is given its id. */
    private boolean isOurs(Store.View view) throws IOException {
        String prefix = store.keys().prefix();
        boolean empty = local.id().isEmpty() && local.last() == 0;
        if (view.id().isEmpty() && empty && view.head().revision() == 0) {
            store.found(machine.newId());
            return false;
        }
        if (view.id().isEmpty() && empty) {
            throw new ForeignException("etcd holds a part of a ledger below " + prefix
                    + ", because an import has not ended: delete the keys there with `etcdctl del --prefix " + prefix
                    + "`, and run `muster ledger import` again");
        }
        if (view.id().isEmpty()) {
            throw new ForeignException("etcd holds no ledger below " + prefix + ", and the state directory holds "
                    + (local.id().isEmpty() ? "a ledger of files" : "a copy of ledger " + local.id())
                    + ": `muster ledger import` writes it to etcd");
        }
        if (empty) {
            local.adopt(view.id());
        }
        if (!local.id().equals(view.id())) {
            throw new ForeignException("etcd holds ledger " + view.id() + " below " + prefix
                    + ", and the state directory holds "
                    + (local.id().isEmpty() ? "a ledger of files" : "a copy of ledger " + local.id())
                    + ": correct ledger.endpoints or ledger.prefix, or give this daemon an empty state directory");
        }
        return true;
    }

    private void check(String txn, String what) throws ForeignException {
        if (!txn.equals(head.txn())) {
            throw new ForeignException(what + " is " + (txn.isEmpty() ? "none" : txn) + ", and this daemon's is "
                    + (head.txn().isEmpty() ? "none" : head.txn()) + " at seq " + head.seq()
                    + ": the two histories differ; was etcd restored from a backup? " + CURE);
        }
    }

    /** Finds the place of the local copy in the log. */
    private void anchor(RoleActions actions) throws IOException, InterruptedException {
        long seq = local.last();
        if (seq == 0) {
            head = EventGroup.Head.NONE;
            anchored = true;
            return;
        }
        EventGroup found = store.groupAt(seq);
        if (found == null || found.last() < seq) {
            skip(seq, actions);
            return;
        }
        EventGroup whole = store.whole(found);
        if (whole == null) {
            return;
        }
        List<List<JournalRecord>> commands = whole.commands();
        for (List<JournalRecord> command : commands) {
            for (JournalRecord record : command) {
                if (record.seq() == seq && !local.endedWith(record)) {
                    throw parted(seq);
                }
            }
        }
        checkTerm(seq, found.txn());
        List<List<JournalRecord>> rest =
                commands.stream().filter(command -> command.get(0).seq() > seq).toList();
        reached(found);
        if (!rest.isEmpty()) {
            actions.follow(rest);
            local.append(rest.get(0).get(0).seq(), found.level(), LocalCopy.lines(rest));
        }
        head = new EventGroup.Head(found.last(), found.txn(), 0);
        anchored = true;
    }

    private static ForeignException parted(long seq) {
        return new ForeignException("event " + seq + " in etcd is not event " + seq
                + " of this daemon: the two histories differ; was etcd restored from a backup? " + CURE);
    }

    /**
     * Checks that the ledger in a published snapshot has an event of this daemon, although the log does not have it any more.
     *
     * @param term the term of the event; "" if it is not known
     */
    private static void prove(Uploads.Published published, long seq, String term) throws ForeignException {
        Terms terms = published.terms();
        if (!term.isEmpty() && terms.have(seq, term)) {
            return;
        }
        if (!term.isEmpty() && !terms.at(seq).isEmpty()) {
            throw parted(seq);
        }
        throw new ForeignException("the log in etcd begins after event " + seq + " of this daemon, and nothing in etcd"
                + " shows that the ledger has this event, because this daemon was away for more than " + Terms.MOST
                + " terms: " + CURE);
    }

    private void reached(EventGroup group) {
        local.reached(group.txn(), group.first());
        reached.accept(group.txn(), group.last());
    }

    private void reached(Uploads.Published published, Uploads.Ref ref) {
        local.reached(published.terms());
        reached.accept(ref.txn(), ref.seq());
    }

    /** Continues from the snapshot, because the log does not reach back to the local copy. */
    private void skip(long seq, RoleActions actions) throws IOException, InterruptedException {
        Uploads.Published published = uploads.published();
        Uploads.Ref ref = published.current();
        if (ref != null && ref.seq() == seq) {
            prove(published, seq, local.terms().at(seq));
            reached(published, ref);
            head = new EventGroup.Head(seq, ref.txn(), 0);
        } else {
            load(actions);
        }
        anchored = true;
    }

    private void load(RoleActions actions) throws IOException, InterruptedException {
        Uploads.Published published = uploads.published();
        Uploads.Ref ref = published.current();
        if (ref == null || ref.seq() <= head.seq()) {
            throw new ForeignException(
                    "the log in etcd is incomplete: event " + (head.seq() + 1) + " is missing, and no snapshot has it");
        }
        if (head.seq() > 0) {
            prove(published, head.seq(), local.terms().at(head.seq()));
        }
        byte[] state = uploads.load(ref);
        if (state == null) {
            if (ref.equals(uploads.published().current())) {
                throw new ForeignException("pieces of the snapshot at seq " + ref.seq() + " are missing below "
                        + store.keys().snapshots(ref.name()) + " in etcd: somebody else has deleted them");
            }
            return; // a later snapshot has replaced this one
        }
        if (open != null && open.first <= ref.seq()) {
            close(null);
        }
        reached(published, ref);
        actions.load(ref.seq(), ref.time(), (ObjectNode) StrictJson.stored(state));
        head = new EventGroup.Head(ref.seq(), ref.txn(), 0);
        rebase(ref, state);
    }

    private void rebase(Uploads.Ref ref, byte[] state) throws InterruptedException {
        local.raise(Level.of(ref.level()));
        local.rebase(ref.seq(), state);
    }

    /** @return false if the group was deleted meanwhile */
    private boolean apply(EventGroup group, RoleActions actions) throws IOException, InterruptedException {
        check(group.previous(), "before seq " + group.first() + " the last transaction");
        reached(group);
        if (open != null && open.first == group.first()) {
            boolean durable = open.txn.equals(group.txn());
            List<List<byte[]>> commands = open.commands;
            close(durable);
            if (durable) {
                local.append(group.first(), group.level(), commands);
                head = new EventGroup.Head(group.last(), group.txn(), 0);
                return true;
            }
        }
        EventGroup whole = store.whole(group);
        if (whole == null) {
            return false;
        }
        List<List<JournalRecord>> commands = whole.commands();
        if (head.seq() == 0) {
            actions.begins(group.level());
        }
        actions.follow(commands);
        local.append(group.first(), group.level(), LocalCopy.lines(commands));
        head = new EventGroup.Head(group.last(), group.txn(), 0);
        return true;
    }

    /** Reads the events that the local copy lacks, after the disk of the copy failed. */
    void refill(long seq) throws IOException, InterruptedException {
        if (local.isBehind() || local.last() >= seq) {
            return;
        }
        // The copy may end within a group, because the journal takes the commands of a group one by one.
        EventGroup next = store.groupAt(local.last() + 1);
        if (next == null || next.last() <= local.last()) {
            Uploads.Ref ref = uploads.published().current();
            byte[] state = ref == null || ref.seq() <= local.last() ? null : uploads.load(ref);
            if (ref != null && state != null && ref.seq() <= seq) { // a later snapshot comes with its terms, by load
                checkTerm(ref.seq(), ref.txn());
                rebase(ref, state);
            }
            return;
        }
        List<EventGroup> groups = new ArrayList<>(List.of(next));
        groups.addAll(store.view(next.last() + 1, Store.PAGE, Store.LONG_ATTEMPT_MILLIS)
                .groups());
        for (EventGroup group : groups) {
            EventGroup whole = group.last() > seq ? null : store.whole(group);
            if (whole == null) {
                return;
            }
            checkTerm(group.first(), group.txn());
            local.append(group.first(), group.level(), LocalCopy.lines(whole.commands()));
        }
    }

    /** Checks that a transaction in etcd is of the same term as the events that this daemon has applied. */
    private void checkTerm(long seq, String txn) throws ForeignException {
        String term = local.terms().at(seq);
        if (!term.isEmpty() && !term.equals(Terms.name(txn))) {
            throw parted(seq);
        }
    }
}
