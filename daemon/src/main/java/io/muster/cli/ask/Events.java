package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.history.Chronicle;
import io.muster.inventory.history.PastEvent;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Past events, oldest first, read from disk or from the memory of a daemon. */
public interface Events extends Closeable {
    /** Returns the next event, or null after the last. */
    @Nullable
    ObjectNode next() throws IOException;

    /**
     * Returns the intervals in which hosts were drained, excluded or offline, computed from the remaining events up to
     * {@code until}.
     */
    default Chronicle chronicle(Predicate<String> hosts, double until) throws IOException {
        Chronicle chronicle = new Chronicle(hosts);
        for (ObjectNode event = next(); event != null; event = next()) {
            if (event.path("timestamp").asDouble() <= until) {
                chronicle.add(PastEvent.of(event));
            }
        }
        return chronicle;
    }

    /** Returns the name of the source of the events, for messages. */
    String source();
}
