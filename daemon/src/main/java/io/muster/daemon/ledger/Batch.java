package io.muster.daemon.ledger;

import java.util.List;
import java.util.function.Consumer;

/**
 * The events of one command: recovery restores all of them or none. A batch without events is a barrier, which completes when everything
 * submitted before it is durable.
 *
 * @param firstSeq the seq of the first event; the others follow it without a gap
 * @param events one UTF-8 JSON object each, in the form of RFC 18, without a newline and without the keys seq, durable and more; the
 *     arrays are not copied
 * @param done called once, where the ledger reports outcomes, in the order of submission
 */
public record Batch(long firstSeq, List<byte[]> events, Consumer<Outcome> done) {
    public Batch {
        events.forEach(Batch::check);
        events = List.copyOf(events);
    }

    /** Refuses a newline or NUL inside an event, because either would break the framing of every line after it. */
    private static void check(byte[] event) {
        if (event.length < 7 || event[0] != '{' || event[1] != '"' || event[event.length - 1] != '}') {
            throw new IllegalArgumentException(
                    "an event must be one JSON object with members, without blanks around it");
        }
        for (byte b : event) {
            if (b == '\n' || b == 0) {
                throw new IllegalArgumentException("an event must be one line of text");
            }
        }
    }

    /**
     * Reports the outcome of each batch, in order. A submitter that throws because of a bug must not prevent the reports to the submitters
     * after it, and no later batch may be reported first.
     */
    public static void report(List<Batch> batches, List<Outcome> outcomes) {
        RuntimeException bug = null;
        for (int i = 0; i < batches.size(); i++) {
            try {
                batches.get(i).done().accept(outcomes.get(i));
            } catch (RuntimeException e) {
                bug = bug == null ? e : bug;
            }
        }
        if (bug != null) {
            throw bug;
        }
    }

    public int size() {
        return events.size();
    }
}
