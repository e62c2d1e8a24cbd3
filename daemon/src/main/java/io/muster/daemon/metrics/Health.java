package io.muster.daemon.metrics;

import java.util.List;

/** The answer to a probe: healthy when {@code reasons} is empty. Each reason is a sentence for an operator. */
public record Health(List<String> reasons) {
    public static final Health OK = new Health(List.of());

    public Health {
        reasons = List.copyOf(reasons);
    }

    public static Health because(String... reasons) {
        return new Health(List.of(reasons));
    }

    public boolean ok() {
        return reasons.isEmpty();
    }
}
