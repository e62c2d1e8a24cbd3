package io.muster.daemon.config;

/**
 * How schedulers are served.
 *
 * @param batch how long further changes are gathered after an update to a stream
 * @param initial liveness of a host that the journal does not know
 */
public record AcquireSettings(Acquire acquire, Fsd batch, Initial initial) {
    /** Whether several schedulers may acquire at the same time. */
    public enum Acquire {
        EXCLUSIVE,
        SHARED
    }

    /** Liveness of unknown hosts. The default is ONLINE, because without monitoring nobody reports hosts as online. */
    public enum Initial {
        ONLINE,
        OFFLINE
    }

    private static final Fsd LONGEST_BATCH = new Fsd(60);

    static AcquireSettings read(Settings settings) {
        Fsd batch = settings.duration(Key.BATCH, Fsd.ZERO);
        if (batch.seconds() > LONGEST_BATCH.seconds()) {
            settings.problem(Key.BATCH, "expected at most " + LONGEST_BATCH);
        }
        return new AcquireSettings(
                settings.choice(Key.ACQUIRE, Acquire.EXCLUSIVE), batch, settings.choice(Key.INITIAL, Initial.ONLINE));
    }
}
