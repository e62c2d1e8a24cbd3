package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Past events, oldest first, read from disk or from the memory of a daemon. */
public interface Events extends Closeable {
    /** The next event, or null after the last. */
    @Nullable
    ObjectNode next() throws IOException;

    /** The source of the events, for messages. */
    String source();
}
