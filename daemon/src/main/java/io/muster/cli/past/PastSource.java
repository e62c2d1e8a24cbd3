package io.muster.cli.past;

import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Period;
import io.muster.inventory.hostlist.Hostlist;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;

/** Answers questions about the past, from a disk or by asking a server. */
interface PastSource extends Closeable {
    /** Returns the hosts that ranks, {@code all} and {@code @PROPERTY} stand for now; a daemon also searches. */
    Hostlist hosts(String targets) throws IOException;

    /**
     * @param hosts empty for all hosts
     * @param notes whether the answer is to include marks and tags
     */
    PastAnswer ask(Set<String> hosts, Period period, boolean notes) throws IOException;

    /** The source's name, for messages. */
    String name();
}
