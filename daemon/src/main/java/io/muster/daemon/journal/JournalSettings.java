package io.muster.daemon.journal;

import java.time.Duration;

/**
 * How much the journal keeps.
 *
 * @param segmentBytes the size at which a segment is followed by a new one even without a snapshot
 * @param historyAge the age, since its last write, at which a segment that no start needs is deleted
 * @param historyBytes while all segments together are larger than this, the oldest segments that no start needs are deleted
 */
public record JournalSettings(long segmentBytes, Duration historyAge, long historyBytes) {
    public static final JournalSettings DEFAULT = new JournalSettings(64L << 20, Duration.ofDays(90), 1L << 30);

    public JournalSettings {
        if (segmentBytes < 1 || historyAge.isNegative() || historyBytes < 0) {
            throw new IllegalArgumentException("journal sizes and ages must be positive");
        }
    }
}
