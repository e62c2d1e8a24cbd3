package io.muster.daemon.config;

/**
 * The settings for schedulers.
 *
 * @param batch how long the daemon gathers further changes after an update to a stream
 * @param initial liveness of a host that the journal does not know
 */
public record AcquireSettings(Acquire acquire, Fsd batch, Initial initial) {
    /** Whether several schedulers may acquire at the same time. */
    public enum Acquire {
        EXCLUSIVE,
        SHARED
    }

    /** Liveness of unknown hosts. The default is ONLINE, because without monitoring no reporter reports hosts as online. */
    public enum Initial {
        ONLINE,
        OFFLINE
    }

    private static final Fsd LONGEST_BATCH = new Fsd(60);

    static AcquireSettings read(ConfigTable muster) {
        Fsd batch = muster.duration("batch", Fsd.ZERO);
        if (batch.seconds() > LONGEST_BATCH.seconds()) {
            muster.problem("batch", "expected at most " + LONGEST_BATCH);
        }
        return new AcquireSettings(
                muster.choice("acquire", Acquire.EXCLUSIVE), batch, muster.choice("initial", Initial.ONLINE));
    }
}
