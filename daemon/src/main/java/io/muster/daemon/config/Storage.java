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
    /**
     * When the wall clock is doubted, so that a wrong one deletes no history and lifts no hold.
     *
     * @param jump by how much it may be set at once
     * @param gap how much later than the last known time a start may be
     * @param settle how long it is doubted while it keeps its new time
     */
    public record Clock(Fsd jump, Fsd gap, Fsd settle) {
        private static final Fsd LEAST = new Fsd(10);

        static Clock read(Settings settings) {
            return new Clock(
                    atLeast(settings, Key.CLOCK_JUMP, new Fsd(15 * 60)),
                    atLeast(settings, Key.CLOCK_GAP, new Fsd(7 * 86400)),
                    atLeast(settings, Key.CLOCK_SETTLE, new Fsd(3600)));
        }

        private static Fsd atLeast(Settings settings, Key key, Fsd fallback) {
            Fsd time = settings.duration(key, fallback);
            if (time.seconds() < LEAST.seconds()) {
                settings.problem(key, "expected at least " + LEAST);
            }
            return time;
        }
    }

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
