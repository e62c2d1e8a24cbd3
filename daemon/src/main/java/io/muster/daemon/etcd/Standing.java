package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.JournalRecord;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the daemon does as it follows and leads. The methods are called on the thread {@code ledger}, except {@link #silent}, which is
 * called on the thread {@code lease}.
 */
public interface Standing {
    /**
     * Applies events that another daemon has written, and returns when they are applied.
     *
     * @param commands the events of each command
     * @throws IOException whose message says which event cannot be applied
     */
    void follow(List<List<JournalRecord>> commands) throws IOException, InterruptedException;

    /** Replaces the state, because the events that lead to it are not kept any more; returns when the state is replaced. */
    void load(long seq, double time, ObjectNode state) throws IOException, InterruptedException;

    /** This daemon leads: from now on it may submit batches. */
    void lead();

    /**
     * This daemon does not lead: everything that it submits fails.
     *
     * @param leader who leads; null if nobody is known to lead
     * @param then to be called when the daemon submits nothing more; null if it did not lead before
     */
    void stand(@Nullable Leader leader, @Nullable Runnable then);

    /**
     * A leader has not heard from etcd for so long that another daemon may lead, or has heard again.
     *
     * @param silent whether etcd is silent
     */
    void silent(boolean silent);
}
