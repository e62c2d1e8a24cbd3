package io.muster.daemon.config;

import java.nio.file.Path;

/**
 * The settings of the state directory and of the history in it.
 *
 * @param historyAge a segment whose last event is older may be deleted; from {@code resource.history}
 * @param historySize limit on the bytes of the segments that only history needs; beyond the limit, the oldest are deleted
 * @param journalMax events held in memory for {@code resource.journal}
 */
public record Storage(Path stateDir, int snapshotEvery, Fsd historyAge, long historySize, int journalMax) {
    /**
     * The limits beyond which the daemon doubts the wall clock, so that a wrong clock deletes no history and lifts no hold.
     *
     * @param jump the largest step by which the clock may be set without being doubted
     * @param gap the longest time from the last known time to a start at which the clock is not doubted
     * @param settle how long a clock that keeps its new time is doubted
     */
    public record Clock(Fsd jump, Fsd gap, Fsd settle) {
        private static final Fsd LEAST = new Fsd(10);

        static Clock read(ConfigTable muster) {
            return new Clock(
                    atLeast(muster, "clock-jump", new Fsd(15 * 60)),
                    atLeast(muster, "clock-gap", new Fsd(7 * 86400)),
                    atLeast(muster, "clock-settle", new Fsd(3600)));
        }

        private static Fsd atLeast(ConfigTable muster, String key, Fsd fallback) {
            Fsd time = muster.duration(key, fallback);
            if (time.seconds() < LEAST.seconds()) {
                muster.problem(key, "expected at least " + LEAST);
            }
            return time;
        }
    }

    private static final ByteSize LARGEST = new ByteSize(Long.MAX_VALUE);

    static Storage read(ConfigTable muster, ConfigTable resource, Environment environment) {
        return new Storage(
                muster.path("state-dir", environment.stateDir()),
                muster.integer("snapshot-every", 100_000, 1, Integer.MAX_VALUE),
                resource.duration("history", new Fsd(90 * 86400)),
                muster.size("history-size", new ByteSize(1L << 30), new ByteSize(0), LARGEST)
                        .bytes(),
                resource.integer("journal-max", 10_000, 1, Integer.MAX_VALUE));
    }
}
