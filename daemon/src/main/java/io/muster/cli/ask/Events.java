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
    /** The next event, or null after the last. */
    @Nullable
    ObjectNode next() throws IOException;

    /** The times in which hosts were drained, excluded or offline, by the events that are left up to a time. */
    default Chronicle chronicle(Predicate<String> hosts, double until) throws IOException {
        Chronicle chronicle = new Chronicle(hosts);
        for (ObjectNode event = next(); event != null; event = next()) {
            if (event.path("timestamp").asDouble() <= until) {
                chronicle.add(PastEvent.of(event));
            }
        }
        return chronicle;
    }

    /** The source of the events, for messages. */
    String source();
}
