package io.muster.daemon.net;

import java.util.ArrayDeque;

/** The requests of one peer that wait to be served, in order. Nobody has read more of them than where each one ends. */
public final class Backlog {
    /** What a request costs beside its bytes: the header of the array, the entry, and its place in the queue. */
    private static final int OVERHEAD = 48;

    /** A queue that has held more than this gives its own array back once it is empty. */
    private static final int MANY = 1024;

    private ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private long bytes;
    private boolean large;

    /** One request. */
    public static final class Waiting {
        private final byte[] body;
        private final boolean refused;

        private Waiting(byte[] body, boolean refused) {
            this.body = body;
            this.refused = refused;
        }

        /** The body of its frame. */
        public byte[] body() {
            return body;
        }

        /** Whether to answer the request with an error, since there was no room for it when it came. */
        public boolean refused() {
            return refused;
        }

        private int cost() {
            return body.length + OVERHEAD;
        }
    }

    public void add(byte[] body, boolean refused) {
        Waiting last = new Waiting(body, refused);
        queue.add(last);
        bytes += last.cost();
        large |= queue.size() > MANY;
    }

    /** Takes out the oldest. */
    public Waiting remove() {
        Waiting first = queue.remove();
        bytes -= first.cost();
        if (large && queue.isEmpty()) {
            clear();
        }
        return first;
    }

    public void clear() {
        queue = new ArrayDeque<>();
        bytes = 0;
        large = false;
    }

    public boolean isEmpty() {
        return queue.isEmpty();
    }

    public int size() {
        return queue.size();
    }

    /** How much memory they take. */
    public long bytes() {
        return bytes;
    }
}
