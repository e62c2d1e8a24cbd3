package io.muster.daemon.net;

import java.util.ArrayDeque;

/**
 * The requests of one peer that wait to be served, in order. A waiting request is not decoded: only the end of its frame has
 * been found.
 */
public final class Backlog {
    /** The memory of a request apart from its bytes: the header of the array, the entry, and the place in the queue. */
    private static final int OVERHEAD = 48;

    /** A queue that has held more requests than this releases its array once it is empty. */
    private static final int MANY = 1024;

    private ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private long bytes;
    private boolean large;

    /** One waiting request. */
    public static final class Waiting {
        private final byte[] body;
        private final boolean refused;

        private Waiting(byte[] body, boolean refused) {
            this.body = body;
            this.refused = refused;
        }

        /** Returns the body of the request's frame. */
        public byte[] body() {
            return body;
        }

        /** Returns whether to respond to the request with an error, because there was no room for it when it arrived. */
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

    /** Removes and returns the oldest request. */
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

    /** Returns how many bytes of memory the requests take. */
    public long bytes() {
        return bytes;
    }
}
