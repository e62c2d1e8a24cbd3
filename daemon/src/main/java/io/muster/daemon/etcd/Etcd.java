package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls of etcd that the ledger needs. Each object is used by one thread only. */
interface Etcd extends Closeable {
    /** Carries out a transaction: {@code then} if every condition is true, and {@code otherwise} if not. */
    Result transact(List<Compare> compare, List<Op> then, List<Op> otherwise, int timeoutMillis) throws EtcdException;

    /**
     * Reads with one transaction, whose answer is linearizable: the answer includes every write that was acknowledged before
     * the call.
     */
    default Result read(List<Op> gets, int timeoutMillis) throws EtcdException {
        return transact(List.of(), gets, List.of(), timeoutMillis);
    }

    long grant(long ttlSeconds, int timeoutMillis) throws EtcdException;

    /** Returns the seconds for which the lease was extended; 0 if there is no such lease. */
    long keepAlive(long lease, int timeoutMillis) throws EtcdException;

    void revoke(long lease, int timeoutMillis) throws EtcdException;

    /**
     * Compacts etcd: deletes the former values of all keys before a revision. Does nothing if this revision is compacted
     * already.
     */
    void compact(long revision, int timeoutMillis) throws EtcdException;

    Status status(int timeoutMillis) throws EtcdException;

    /** Goes to the member that leads etcd, now and then. Never throws, because every member serves. */
    void nearLeader();

    @Override
    void close();

    /** A key with its value. */
    final class Entry {
        private final String key;
        private final byte[] value;
        private final long modRevision;
        private final long lease;

        Entry(String key, byte[] value, long modRevision, long lease) {
            this.key = key;
            this.value = value;
            this.modRevision = modRevision;
            this.lease = lease;
        }

        String key() {
            return key;
        }

        /** The value, which must not be modified. */
        byte[] value() {
            return value;
        }

        /** The revision in which the key was last written. */
        long modRevision() {
            return modRevision;
        }

        /** The lease with which the key ends; 0 for none. */
        long lease() {
            return lease;
        }

        String text() {
            return new String(value, StandardCharsets.UTF_8);
        }
    }

    /** The condition that a key was last written in this revision; 0 if the key must not exist. */
    record Compare(String key, long modRevision) {}

    /** One operation of a transaction. */
    sealed interface Op {
        ObjectNode toJson();

        final class Put implements Op {
            private final String key;
            private final byte[] value;
            private final long lease;

            /** @param lease the lease with which the key ends; 0 for none */
            Put(String key, byte[] value, long lease) {
                this.key = key;
                this.value = value;
                this.lease = lease;
            }

            Put(String key, String value) {
                this(key, value.getBytes(StandardCharsets.UTF_8), 0);
            }

            String key() {
                return key;
            }

            /** The value, which must not be modified. */
            byte[] value() {
                return value;
            }

            long lease() {
                return lease;
            }

            @Override
            public ObjectNode toJson() {
                ObjectNode put = JsonNodeFactory.instance.objectNode();
                put.put("key", bytes(key)).put("value", value).put("lease", Long.toString(lease));
                return wrap("request_put", put);
            }
        }

        /** Reads the keys from {@code key} to before {@code end}; only {@code key} if {@code end} is empty. */
        record Get(String key, String end, int limit, boolean last, boolean keysOnly) implements Op {
            static Get one(String key) {
                return new Get(key, "", 1, false, false);
            }

            static Get range(String key, String end, int limit) {
                return new Get(key, end, limit, false, false);
            }

            @Override
            public ObjectNode toJson() {
                ObjectNode get = JsonNodeFactory.instance.objectNode();
                get.put("key", bytes(key)).put("range_end", bytes(end)).put("limit", Integer.toString(limit));
                get.put("keys_only", keysOnly);
                if (last) {
                    get.put("sort_order", "DESCEND").put("sort_target", "KEY");
                }
                return wrap("request_range", get);
            }
        }

        record Delete(String key, String end) implements Op {
            @Override
            public ObjectNode toJson() {
                return wrap(
                        "request_delete_range",
                        JsonNodeFactory.instance
                                .objectNode()
                                .put("key", bytes(key))
                                .put("range_end", bytes(end)));
            }
        }

        private static ObjectNode wrap(String name, ObjectNode operation) {
            ObjectNode wrapped = JsonNodeFactory.instance.objectNode();
            wrapped.set(name, operation);
            return wrapped;
        }
    }

    /**
     * The answer to a transaction.
     *
     * @param succeeded whether every condition was true
     * @param revision the revision of the transaction
     * @param found the keys that each {@link Op.Get} of the branch found
     */
    record Result(boolean succeeded, long revision, List<List<Entry>> found) {
        /** The key that a {@link Op.Get} of one key found, or null. */
        @Nullable
        Entry one(int get) {
            return found.get(get).isEmpty() ? null : found.get(get).get(0);
        }
    }

    /** The state that a member reports about itself. */
    record Status(String version, long databaseBytes) {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
