package io.muster.cli.follow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventFeed;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A verb that prints the journal's events (RFC 44), remembered or new ones. */
abstract class Following extends ServerVerb {
    Following(Console console) {
        super(console);
    }

    /**
     * Prints an event.
     *
     * @return whether this was the last event to print
     */
    abstract boolean print(ObjectNode event);

    /** Opens the journal. */
    EventFeed open(FluxClient client) throws IOException {
        return EventFeed.follow(client);
    }

    /**
     * Prints events.
     *
     * @param filter returns whether to print an event
     * @param past whether to print remembered events
     * @param future whether to print new events
     * @param limit how long to follow; null or zero for no limit
     * @return the exit status
     */
    final int follow(
            FluxClient client, Predicate<JsonNode> filter, boolean past, boolean future, @Nullable Duration limit)
            throws IOException {
        long start = System.nanoTime();
        Duration most = limit == null ? Duration.ZERO : limit;
        try (EventFeed journal = open(client)) {
            for (ObjectNode event = journal.remembered(); event != null; event = journal.remembered()) {
                if (past && filter.test(event) && print(event)) {
                    return Exit.OK;
                }
            }
            console().flush();
            if (future) {
                console().endWithReader();
            }
            while (future) {
                if (!most.isZero() && !journal.await(most.minusNanos(System.nanoTime() - start))) {
                    throw new Failure(Exit.TIMED_OUT, "--timeout is over");
                }
                ObjectNode event = journal.next();
                if (event == null || (filter.test(event) && print(event))) {
                    return Exit.OK;
                }
                console().flush();
            }
        }
        return Exit.OK;
    }
}
