package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.LedgerSettings;
import io.muster.daemon.etcd.Etcd.Op;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalLines;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** The operations of an operator on a ledger on etcd, outside of the daemons. */
public final class LedgerAdmin implements Closeable {
    private static final int TIMEOUT_MILLIS = 5000;
    /** Longer than any import: no thread keeps the lease alive, and the end of the lease would abort the import. */
    private static final int LEASE_SECONDS = 3600;

    private final Store store;
    private final String member;
    private final InstantSource clock;

    public LedgerAdmin(LedgerSettings settings) {
        this(
                new Store(new EtcdGateway(EtcdAccess.of(settings), 0), new Keys(settings.prefix()), Machine.REAL),
                settings.member(),
                InstantSource.system());
        reach(settings.endpoints().size());
    }

    LedgerAdmin(Store store, String member, InstantSource clock) {
        this.store = store;
        this.member = member;
        this.clock = clock;
    }

    /** Goes to the first member that answers. If none answers, the request that follows reports the failure. */
    private void reach(int members) {
        for (int i = 0; i < members; i++) {
            try {
                store.view(Long.MAX_VALUE - 1, 1, Store.ATTEMPT_MILLIS);
                return;
            } catch (EtcdException e) {
                // after a failure of the connection, the next request goes to the next member
            } catch (ForeignException e) {
                return;
            }
        }
    }

    /**
     * The state of the ledger in etcd.
     *
     * @param id the ledger's id; "" if there is no ledger
     * @param term the term of the leader; 0 if no daemon leads
     * @param firstSeq the first event in the log; 0 if the log is empty
     * @param snapshotSeq the last event in the snapshot; 0 if there is none
     */
    public record Status(
            String id,
            @Nullable Leader leader,
            long term,
            long firstSeq,
            long seq,
            long snapshotSeq,
            List<Leader> members,
            String version,
            long databaseBytes) {}

    public Status status() throws IOException {
        Store.View view = store.view(0, 1, Store.ATTEMPT_MILLIS);
        Uploads.Ref snapshot = new Uploads(store).published().current();
        Etcd.Status etcd = store.etcd().status(TIMEOUT_MILLIS);
        return new Status(
                view.id(),
                view.leader() == null ? null : Leader.parse(view.leader().text()),
                view.term(),
                view.groups().isEmpty() ? 0 : view.groups().get(0).first(),
                view.head().seq(),
                snapshot == null ? 0 : snapshot.seq(),
                view.members(),
                etcd.version(),
                etcd.databaseBytes());
    }

    private Store.View view() throws EtcdException, ForeignException {
        return store.view(Long.MAX_VALUE - 1, 1, Store.ATTEMPT_MILLIS);
    }

    /**
     * Ends the term of the leader, so that another daemon leads. No change that was acknowledged is lost.
     *
     * @return the former leader; null if there was none
     */
    public @Nullable Leader stepDown() throws IOException {
        Store.View view = view();
        if (view.leader() == null) {
            return null;
        }
        store.resign(view.term());
        return Leader.parse(view.leader().text());
    }

    /**
     * Reads the whole log and checks that each transaction follows the one before.
     *
     * @return the number of events in the log
     */
    public long verify() throws IOException {
        Uploads.Ref snapshot = new Uploads(store).published().current();
        if (snapshot != null && new Uploads(store).load(snapshot) == null) {
            throw new ForeignException("the pieces of the snapshot at seq " + snapshot.seq() + " are missing");
        }
        long seq = 0;
        long events = 0;
        String txn = "";
        while (true) {
            Store.View view = store.view(seq + 1, Store.PAGE, Store.LONG_ATTEMPT_MILLIS);
            if (view.groups().isEmpty()) {
                if (seq != 0 && !view.head().txn().equals(txn)) {
                    throw new ForeignException(
                            "head names transaction " + view.head().txn() + ", and the log ends with " + txn);
                }
                return events;
            }
            for (EventGroup group : view.groups()) {
                boolean follows = group.first() == seq + 1 && group.previous().equals(txn);
                if (seq != 0 && !follows) {
                    throw new ForeignException(
                            "the transaction at seq " + group.first() + " does not follow the one at seq " + seq);
                }
                EventGroup whole = store.whole(group);
                if (whole == null) {
                    throw new ForeignException("the leader deleted the transaction at seq " + group.first()
                            + " meanwhile: run verify again");
                }
                whole.commands();
                events += group.last() - group.first() + 1;
                seq = group.last();
                txn = group.txn();
            }
        }
    }

    /** The contents of a state directory. */
    private static final class Contents implements Replay {
        private final List<List<byte[]>> commands = new ArrayList<>();
        private List<byte[]> command = new ArrayList<>();
        private Level level = Level.ONE;
        private long base;
        private double time;
        private @Nullable ObjectNode state;
        private final ObjLongConsumer<String> progress;
        private long read;

        Contents(ObjLongConsumer<String> progress) {
            this.progress = progress;
        }

        @Override
        public void begins(Level found) {
            level = found;
        }

        @Override
        public void snapshot(long seq, double timestamp, ObjectNode found) {
            level = known(found, "the snapshot");
            base = seq;
            time = timestamp;
            state = found;
        }

        @Override
        public void event(JournalRecord record) {
            progress.accept("events read", ++read);
            if (record.name().equals("upgrade")) {
                level = known(record.context(), "event " + record.seq());
            }
            byte[] line = record.submitted();
            if (line == null) {
                throw new IllegalArgumentException("event " + record.seq() + " was not written by Muster");
            }
            command.add(line);
            if (record.more() == 0) {
                commands.add(command);
                command = new ArrayList<>();
            }
        }
    }

    private static Level known(ObjectNode found, String where) {
        int number = found.path("level").asInt();
        if (!Level.isKnown(number)) {
            throw new IllegalArgumentException(where + " is of "
                    + Level.unknown(number, found.path("needs").asText()));
        }
        return Level.of(number);
    }

    /**
     * Writes a ledger of files, or a copy of a ledger, to etcd, below a prefix without keys. The directory is the copy of the new ledger
     * from then on.
     *
     * @param progress is given what is being counted, and the number so far
     * @return the last seq
     * @throws io.muster.daemon.journal.disk.LockedException if a daemon uses the directory
     */
    public long importFrom(Disk disk, ObjLongConsumer<String> progress) throws IOException {
        String prefix = store.keys().prefix();
        if (!store.read(List.of(new Op.Get(prefix, Keys.end(prefix), 1, false, true)))
                .found()
                .get(0)
                .isEmpty()) {
            throw new ForeignException(
                    "etcd has keys below " + prefix + " already: name another ledger.prefix, or delete them"
                            + " with `etcdctl del --prefix " + prefix + "` if no daemon needs them");
        }
        Contents contents = new Contents(progress);
        try (Journal journal = Journal.open(
                disk,
                JournalSettings.DEFAULT.on(store.machine()),
                contents,
                new LedgerListener() {},
                Runnable::run,
                clock)) {
            String id = store.machine().newId();
            Terms terms;
            long lease = store.etcd().grant(LEASE_SECONDS, TIMEOUT_MILLIS);
            try {
                Leader self = new Leader(
                        "import to " + member, id, "", ProcessHandle.current().pid(), List.of(), "", 0);
                store.campaign(self.toJson(), lease);
                Store.View view = store.view(1, 1, Store.ATTEMPT_MILLIS);
                terms = write(contents, id, view);
                store.name(view.term(), id); // last, so that no daemon follows a part of the ledger
            } finally {
                store.etcd().revoke(lease, TIMEOUT_MILLIS);
            }
            LocalCopy copy = new LocalCopy(journal, disk, 0, new LedgerListener() {}, store.machine());
            copy.renew(id, terms);
            return journal.durableSeq();
        }
    }

    /** @return the terms of the new ledger */
    private Terms write(Contents contents, String id, Store.View view) throws IOException {
        if (view.leader() == null || !Leader.parse(view.leader().text()).boot().equals(id)) {
            throw new ForeignException("a daemon leads already: stop all daemons first");
        }
        EventGroup.Head head = view.head();
        Terms terms = Terms.NONE;
        ObjectNode state = contents.state;
        if (state != null) {
            String txn = "import-" + id;
            head = store.begin(view.term(), contents.base, txn);
            byte[] bytes = StrictJson.text(state).toByteArray();
            terms = terms.with(txn, 1);
            new Uploads(store).publish(view.term(), contents.base, txn, terms, contents.time, contents.level, bytes);
        }
        Writer writer = new Writer(store, view.term(), head, 0, "import", Duration.ofMinutes(1));
        List<List<byte[]>> group = new ArrayList<>();
        long bytes = 0;
        long written = 0;
        for (int i = 0; i < contents.commands.size(); i++) {
            group.add(contents.commands.get(i));
            bytes += contents.commands.get(i).stream()
                    .mapToLong(JournalLines::room)
                    .sum();
            if (bytes >= Pack.PIECE || i + 1 == contents.commands.size()) {
                long first = writer.head().seq() + 1;
                long last = writer.head().seq()
                        + group.stream().mapToLong(List::size).sum();
                Writer.Verdict verdict =
                        writer.write(writer.next(last, contents.level, JournalLines.encode(first, group)));
                if (verdict.kind() != Writer.Kind.DURABLE) {
                    throw new ForeignException("the import stopped at seq " + first + ": " + verdict.reason()
                            + "; delete the keys below " + store.keys().prefix() + " and try again");
                }
                written += last - first + 1;
                contents.progress.accept("events written", written);
                group = new ArrayList<>();
                bytes = 0;
            }
        }
        return written == 0 ? terms : terms.with(writer.head().txn(), contents.base + 1);
    }

    /**
     * Makes the copy of a ledger a ledger of files of its own.
     *
     * @param force whether to do so although etcd has events that the copy lacks, or does not answer
     * @param progress is given what is being counted, and the number so far
     * @return the last seq of the copy
     * @throws io.muster.daemon.journal.disk.LockedException if a daemon uses the directory
     */
    public long export(Disk disk, boolean force, ObjLongConsumer<String> progress) throws IOException {
        try (Journal journal = Journal.open(
                disk,
                JournalSettings.DEFAULT,
                new Contents(progress),
                new LedgerListener() {},
                Runnable::run,
                InstantSource.system())) {
            if (!force) {
                long seq = view().head().seq();
                if (seq != journal.durableSeq()) {
                    throw new ForeignException("etcd has seq " + seq + ", and the copy in " + disk.where()
                            + " ends with seq " + journal.durableSeq()
                            + ": start a daemon on this host until it has followed, or give --force");
                }
            }
            disk.delete(LocalCopy.FILE);
            disk.forceDirectory("");
            return journal.durableSeq();
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
