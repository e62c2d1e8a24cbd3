package io.muster.daemon.ledger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The past in a ledger: durable events, and states from which a reader can continue where events are missing. May be used
 * from any thread, also while the ledger writes and deletes; a reading belongs to the thread that uses it.
 */
public interface Archive {
    Reading open(Selection selection) throws IOException;

    /**
     * Does some of the work that makes later readings fast. Must be called from time to time; calls must not overlap.
     *
     * @return whether there is more to do at once
     */
    boolean prepare() throws IOException;

    /**
     * The events to read.
     *
     * @param hosts events of other hosts may be left out; empty for all hosts
     * @param since seconds since the epoch; the reading begins with a state from before this time, if one is kept
     * @param lastSeq the seq of the last event to read; it must be durable
     * @param beginSeq the highest seq of the state with which the reading begins
     */
    record Selection(Set<String> hosts, double since, long lastSeq, long beginSeq) {
        public Selection(Set<String> hosts, double since, long lastSeq) {
            this(hosts, since, lastSeq, Long.MAX_VALUE);
        }
    }

    /** Returns the parts that are no longer written, oldest first. */
    List<Part> parts() throws IOException;

    /** Returns what was computed from a part, as {@link #keepSums} kept it; null if that is missing, unreadable, damaged, or of another part. */
    @Nullable
    ByteBuffer sums(Part part);

    /** Keeps something that was computed from a part, if that is possible, so that later questions need not read the part. */
    void keepSums(Part part, ByteBuffer sums);

    /**
     * A part of the archive that is no longer written.
     *
     * @param first the seq of its first event
     * @param last the seq of its last event
     * @param size in bytes
     * @param modified when it was changed last, in milliseconds since the epoch
     */
    record Part(long first, long last, long size, long modified) {}

    interface Reading extends Closeable {
        /** The next item, in the order in which the events happened; null after the last. */
        @Nullable
        Item next() throws IOException;
    }

    sealed interface Item {
        /** @param json the event in the form of RFC 18, with the ledger's own keys */
        record Event(ObjectNode json) implements Item {}

        /**
         * The state before the next event, given after events that are missing.
         *
         * @param time when it was written, in seconds since the epoch
         */
        record State(long seq, double time, ObjectNode json) implements Item {}

        /** @param damage why events are missing here, as a sentence; "" if they were deleted because they are old */
        record Missing(String damage) implements Item {}
    }
}
