package io.muster.daemon.config;

import java.nio.file.Path;

/**
 * Where state is kept, and how much history.
 *
 * @param historyAge segments whose last event is older may be deleted; from {@code resource.history}
 * @param historySize limit on the bytes of segments that only history needs; the oldest beyond it are deleted
 * @param journalMax events held in memory for {@code resource.journal}
 */
public record Storage(Path stateDir, int snapshotEvery, Fsd historyAge, long historySize, int journalMax) {
    private static final ByteSize LARGEST = new ByteSize(Long.MAX_VALUE);

    static Storage read(Settings settings, Environment environment) {
        return new Storage(
                settings.path(Key.STATE_DIR, environment.stateDir()),
                settings.integer(Key.SNAPSHOT_EVERY, 100_000, 1, Integer.MAX_VALUE),
                settings.duration(Key.RESOURCE_HISTORY, new Fsd(90 * 86400)),
                settings.size(Key.HISTORY_SIZE, new ByteSize(1L << 30), new ByteSize(0), LARGEST)
                        .bytes(),
                settings.integer(Key.RESOURCE_JOURNAL_MAX, 10_000, 1, Integer.MAX_VALUE));
    }
}
