package io.muster.daemon.config;

import io.muster.inventory.rset.ResourceSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings for the schedulers of Flux instances.
 *
 * @param audit how often schedulers are asked what they believe; 0 for never
 * @param properties when schedulers get the properties that change
 */
public record FluxSettings(Fsd audit, Properties properties) {
    /** When a scheduler gets the properties that change: when it is loaded, or also while it runs. */
    public enum Properties {
        LOAD,
        LIVE
    }

    private static final Fsd DEFAULT_AUDIT = new Fsd(600);
    private static final double SHORTEST_AUDIT = 10;

    static FluxSettings read(ConfigTable flux, ResourceSet configured) {
        Fsd audit = flux.duration("audit", DEFAULT_AUDIT);
        if (audit.seconds() != 0 && audit.seconds() < SHORTEST_AUDIT) {
            flux.problem("audit", "expected 0 or at least 10s");
            audit = DEFAULT_AUDIT;
        }
        FluxSettings settings = new FluxSettings(audit, flux.choice("properties", Properties.LOAD));
        for (String name : configured.properties().keySet()) {
            String fault = settings.fault(name);
            if (fault != null) {
                flux.problem("properties", fault);
            }
        }
        return settings;
    }

    public boolean live() {
        return properties == Properties.LIVE;
    }

    /** Returns why no scheduler that runs can be sent a property with this name; null if it can, or need not be. */
    public @Nullable String fault(String name) {
        return live() && name.indexOf('=') >= 0
                ? "the property " + name
                        + " has a =, with which no scheduler that runs can be sent it: choose another name, or"
                        + " remove properties = \"live\" from [flux]"
                : null;
    }
}
