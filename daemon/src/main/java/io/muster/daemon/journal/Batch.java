package io.muster.daemon.journal;

import java.util.List;
import java.util.function.Consumer;

/**
 * The events of one command: recovered all or none. One without events is a barrier, which completes when everything
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
     * @param firstSeq of the first event; the others count on from it
     * @param events one UTF-8 JSON object each, as RFC 18 has it, with no newline and no seq, durable or more key;
     *     not copied
     * @param done called once, on the executor that the journal was opened with, in the order of submission
     */
    public static Batch of(long firstSeq, List<byte[]> events, Consumer<Outcome> done) {
        for (byte[] event : events) {
            check(event);
        }
        return new Batch(firstSeq, List.copyOf(events), done);
    }

    /** Whether the journal has lines for events as long as this. */
    public static boolean fits(byte[] event) {
        return Line.room(event) <= Line.LIMIT;
    }

    /** What to say of an event that does not fit, after its name. */
    public static String tooLong(byte[] event) {
        return "of " + event.length + " bytes exceeds the journal's line limit of " + Line.LIMIT;
    }

    /** A newline or NUL inside would break the framing of every line after it. */
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
