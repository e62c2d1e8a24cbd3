package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.ledger.Leader;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The actions of the daemon when it follows another daemon, begins to lead, or stops leading. The methods are called on the
 * thread {@code ledger}, except {@link #silent}, which is called on the thread {@code lease}.
 */
public interface RoleActions {
    /** The format level of the state. */
    Level level();

    /**
     * Replaces a state without events by one in this level, because another daemon has begun the ledger in this level;
     * returns when the state is replaced.
     */
    void begins(Level level) throws IOException, InterruptedException;

    /**
     * Applies events that another daemon has written, and returns when they are applied.
     *
     * @param commands the events of each command
     * @throws IOException whose message says which event cannot be applied
     */
    void follow(List<List<JournalRecord>> commands) throws IOException, InterruptedException;

    /** Replaces the state, because the events that lead to it are not kept any more; returns when the state is replaced. */
    void load(long seq, double time, ObjectNode state) throws IOException, InterruptedException;

    /** Called when this daemon leads: from now on it may submit batches. */
    void lead();

    /**
     * Called when this daemon does not lead: every batch that it submits fails.
     *
     * @param leader the leader; null if no leader is known
     * @param then to be called when the daemon submits nothing more; null if it did not lead before
     */
    void stand(@Nullable Leader leader, @Nullable Runnable then);

    /**
     * The time of this daemon in seconds since the epoch, without the times of events, which other clocks may have given. Empty if the
     * daemon does not know the time.
     */
    OptionalDouble time();

    /**
     * Compares the clock of this daemon with that of the leader. If they are far apart and the leader lives, the daemon continues the time
     * of the leader.
     *
     * @param time the leader's time, in seconds since the epoch
     * @param age for how many seconds at most this was the leader's time
     * @param lives whether the leader certainly lives
     * @return whether the clock agrees
     */
    boolean agrees(double time, double age, boolean lives);

    /**
     * Called when this daemon, as leader, has not heard from etcd for so long that another daemon may lead, and when it has
     * heard from etcd again.
     *
     * @param silent whether etcd is silent
     */
    void silent(boolean silent);
}
