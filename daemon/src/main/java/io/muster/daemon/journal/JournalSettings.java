package io.muster.daemon.journal;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * How much the journal keeps.
 *
 * @param segmentBytes a segment longer than this is followed by a new one even without a snapshot
 * @param historyAge segments that no start needs are deleted when last written longer ago than this
 * @param historyBytes the oldest of them are deleted while all segments together are larger than this
 * @param agePaused whether no segment may be deleted for its age now, since the clock is doubted; asked on the journal thread
 */
public record JournalSettings(long segmentBytes, Duration historyAge, long historyBytes, BooleanSupplier agePaused) {
    public static final JournalSettings DEFAULT = new JournalSettings(64L << 20, Duration.ofDays(90), 1L << 30);

    public JournalSettings {
        if (segmentBytes < 1 || historyAge.isNegative() || historyBytes < 0) {
            throw new IllegalArgumentException("journal sizes and ages must be positive");
        }
    }

    JournalSettings(long segmentBytes, Duration historyAge, long historyBytes) {
        this(segmentBytes, historyAge, historyBytes, () -> false);
    }
}
