package io.muster.daemon.config;

/**
 * How schedulers are served.
 *
 * @param batch after an update to a stream, further changes are gathered this long
 * @param initial liveness of a host that the journal does not know
 */
public record Streams(Acquire acquire, Fsd batch, Initial initial) {
    /** How many streams there may be. */
    public enum Acquire {
        EXCLUSIVE,
        SHARED
    }

    /** Without monitoring nobody reports hosts as online, so they are by default. */
    public enum Initial {
        ONLINE,
        OFFLINE
    }

    private static final Fsd LONGEST_BATCH = new Fsd(60);

    static Streams read(Settings settings) {
        Fsd batch = settings.duration(Key.BATCH, Fsd.ZERO);
        if (batch.seconds() > LONGEST_BATCH.seconds()) {
            settings.problem(Key.BATCH, "expected at most " + LONGEST_BATCH);
        }
        return new Streams(
                settings.choice(Key.ACQUIRE, Acquire.EXCLUSIVE), batch, settings.choice(Key.INITIAL, Initial.ONLINE));
    }
}
