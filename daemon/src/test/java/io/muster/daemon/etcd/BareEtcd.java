package io.muster.daemon.etcd;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** A connection to etcd that a benchmark compares with the ledger: each write is one transaction that writes one key. */
public final class BareEtcd implements Closeable {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final Etcd etcd;

    /** @param first the index of the endpoint to use */
    public BareEtcd(List<URI> endpoints, int first) {
        etcd = new Etcd(new EtcdAccess(endpoints, new EtcdTls(null, null, null), "", null), first);
    }

    public void put(String key, byte[] value) throws IOException {
        etcd.transact(List.of(), List.of(new Etcd.Op.Put(key, value, 0)), List.of(), TIMEOUT_MILLIS);
    }

    @Override
    public void close() {
        etcd.close();
    }
}
