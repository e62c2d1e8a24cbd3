package io.muster.daemon.cli.past;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What happened, oldest first: as it stands on disk, or as far as a daemon remembers. */
interface Events extends Closeable {
    /** The next event, or null after the last. */
    @Nullable
    ObjectNode next() throws IOException;

    /** Where this comes from, for people. */
    String source();
}
