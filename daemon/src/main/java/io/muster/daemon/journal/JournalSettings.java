package io.muster.daemon.journal;

import io.muster.daemon.machine.Machine;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * The settings that limit what the journal keeps.
 *
 * @param segmentBytes size of a segment beyond which a new one is begun even without a snapshot
 * @param historyAge age, since the last write, beyond which a segment is deleted if no start needs it
 * @param historyBytes size of all segments together beyond which the oldest of those segments are deleted
 * @param agePaused whether no segment may be deleted for its age now, because the clock is doubted; called on the journal
 *     thread
 * @param linger how long the journal waits for more batches before it forces those that it has; must be zero if clients wait
 *     for the batches
 * @param machine runs the journal's thread
 */
public record JournalSettings(
        long segmentBytes,
        Duration historyAge,
        long historyBytes,
        BooleanSupplier agePaused,
        Duration linger,
        Machine machine) {
    public static final JournalSettings DEFAULT = new JournalSettings(64L << 20, Duration.ofDays(90), 1L << 30);

    public JournalSettings {
        if (segmentBytes < 1 || historyAge.isNegative() || historyBytes < 0 || linger.isNegative()) {
            throw new IllegalArgumentException("journal sizes and ages must be positive");
        }
    }

    public JournalSettings(
            long segmentBytes, Duration historyAge, long historyBytes, BooleanSupplier agePaused, Duration linger) {
        this(segmentBytes, historyAge, historyBytes, agePaused, linger, Machine.REAL);
    }

    JournalSettings(long segmentBytes, Duration historyAge, long historyBytes) {
        this(segmentBytes, historyAge, historyBytes, () -> false, Duration.ZERO);
    }

    public JournalSettings on(Machine other) {
        return new JournalSettings(segmentBytes, historyAge, historyBytes, agePaused, linger, other);
    }
}
