package io.muster.daemon.journal;

import java.util.List;
import java.util.function.Consumer;

/**
 * The events of one command: recovery restores all of them or none. A batch without events is a barrier, which completes when everything
 * submitted before it is durable.
 */
public final class Batch {
    private final long firstSeq;
    private final List<byte[]> events;
    private final Consumer<Outcome> done;

    private Batch(long firstSeq, List<byte[]> events, Consumer<Outcome> done) {
        this.firstSeq = firstSeq;
        this.events = events;
        this.done = done;
    }

    /**
     * @param firstSeq the seq of the first event; the others follow it without a gap
     * @param events one UTF-8 JSON object each, in the form of RFC 18, without a newline and without the keys seq, durable and more; the
     *     arrays are not copied
     * @param done called once, on the executor that the journal was opened with, in the order of submission
     */
    public static Batch of(long firstSeq, List<byte[]> events, Consumer<Outcome> done) {
        for (byte[] event : events) {
            check(event);
        }
        return new Batch(firstSeq, List.copyOf(events), done);
    }

    /** Whether an event fits into one line of the journal. */
    public static boolean fits(byte[] event) {
        return Line.room(event) <= Line.LIMIT;
    }

    /** The rest of a sentence about an event that does not fit; the caller puts the event's name before it. */
    public static String tooLong(byte[] event) {
        return "of " + event.length + " bytes exceeds the journal's line limit of " + Line.LIMIT;
    }

    /** Refuses a newline or NUL inside an event, because either would break the framing of every line after it. */
    private static void check(byte[] event) {
        if (event.length < 7 || event[0] != '{' || event[1] != '"' || event[event.length - 1] != '}') {
            throw new IllegalArgumentException(
                    "an event must be one JSON object with members, without blanks around it");
        }
        if (!fits(event)) {
            throw new IllegalArgumentException("an event " + tooLong(event));
        }
        for (byte b : event) {
            if (b == '\n' || b == 0) {
                throw new IllegalArgumentException("an event must be one line of text");
            }
        }
    }

    public long firstSeq() {
        return firstSeq;
    }

    public int size() {
        return events.size();
    }

    List<byte[]> events() {
        return events;
    }

    Consumer<Outcome> done() {
        return done;
    }
}
