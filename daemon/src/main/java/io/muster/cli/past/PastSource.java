package io.muster.cli.past;

import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Period;
import io.muster.inventory.rset.ResourceSet;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;

/** Answers questions about the past, from a disk or by asking a server. */
interface PastSource extends Closeable {
    /** The resources as they are now; fails if they are not known. */
    ResourceSet resources() throws IOException;

    /** Returns targets with ranks in place of each {@code @{EXPRESSION}}, if the source can search. */
    default String resolve(String targets) throws IOException {
        return targets;
    }

    /**
     * @param hosts empty for all hosts
     * @param notes whether the answer is to include marks and tags
     */
    PastAnswer ask(Set<String> hosts, Period period, boolean notes) throws IOException;

    /** The source's name, for messages. */
    String name();
}
