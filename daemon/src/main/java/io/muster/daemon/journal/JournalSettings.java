package io.muster.daemon.journal;

import java.time.Duration;

/**
 * How much is kept.
 *
 * @param segmentBytes a segment longer than this is followed by a new one even without a snapshot
 * @param historyAge segments that no start needs are deleted when last written longer ago than this
 * @param historyBytes the oldest of them are deleted while all segments together are larger than this
 */
public record JournalSettings(long segmentBytes, Duration historyAge, long historyBytes) {
    public static final JournalSettings DEFAULT = new JournalSettings(64L << 20, Duration.ofDays(90), 1L << 30);

    public JournalSettings {
        if (segmentBytes < 1 || historyAge.isNegative() || historyBytes < 0) {
            throw new IllegalArgumentException("journal sizes and ages must be positive");
        }
    }
}
