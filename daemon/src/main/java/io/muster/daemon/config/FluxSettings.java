package io.muster.daemon.config;

/**
 * The settings for the schedulers of Flux instances.
 *
 * @param audit how often schedulers are asked what they believe; 0 for never
 */
public record FluxSettings(Fsd audit) {
    private static final Fsd DEFAULT_AUDIT = new Fsd(600);
    private static final double SHORTEST_AUDIT = 10;

    static FluxSettings read(ConfigTable flux) {
        Fsd audit = flux.duration("audit", DEFAULT_AUDIT);
        if (audit.seconds() != 0 && audit.seconds() < SHORTEST_AUDIT) {
            flux.problem("audit", "expected 0 or at least 10s");
            audit = DEFAULT_AUDIT;
        }
        return new FluxSettings(audit);
    }
}
