package io.muster.daemon.etcd;

import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Locale;

/** A connection to etcd that a benchmark compares with a daemon. */
public final class BareEtcd implements Closeable {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final Etcd etcd;
    private final Store store;
    private long term;
    private EventGroup.Head head = EventGroup.Head.NONE;

    /** @param first the index of the endpoint to use */
    public BareEtcd(List<URI> endpoints, int first) {
        etcd = new EtcdGateway(new EtcdAccess(endpoints, new EtcdTls(null, null, null), "", null), first);
        store = new Store(etcd, new Keys("/bare-" + first + "/"), Machine.REAL);
    }

    /** Writes one key in one transaction. */
    public void put(String key, byte[] value) throws IOException {
        etcd.transact(List.of(), List.of(new Etcd.Op.Put(key, value, 0)), List.of(), TIMEOUT_MILLIS);
    }

    /**
     * Writes one event as the ledger does, in a transaction that writes two keys on two conditions.
     *
     * @param line about as long as the line of an event
     */
    public void append(byte[] line) throws IOException {
        if (term == 0) {
            store.campaign("{}", 0);
            term = store.view(1, 1, TIMEOUT_MILLIS).term();
        }
        long seq = head.seq() + 1;
        String txn = String.format(Locale.ROOT, "%016d-%x-%x-%s", seq, term, seq, "bench");
        EventGroup group = EventGroup.of(seq, seq, txn, head.txn(), Level.NEWEST, line);
        Etcd.Result result = store.append(term, head, null, group);
        if (!result.succeeded()) {
            throw new IOException("etcd has refused seq " + seq);
        }
        head = new EventGroup.Head(seq, group.txn(), result.revision());
    }

    @Override
    public void close() {
        etcd.close();
    }
}
