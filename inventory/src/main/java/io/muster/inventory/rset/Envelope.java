package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.RawJson;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The parts of R that Muster does not interpret as resources, kept as they were written: everything except ranks, hosts,
 * resources and properties.
 *
 * @param starttime the value as read; if it is absent, 0 or negative, the time is not set
 * @param scheduling any JSON value, including null
 * @param execution the keys of {@code execution} that RFC 20 does not define, including {@code nslots}
 * @param top the keys beside {@code version}, {@code execution} and {@code scheduling}
 */
record Envelope(
        @Nullable JsonNode starttime,
        @Nullable JsonNode expiration,
        @Nullable RawJson scheduling,
        Map<String, JsonNode> execution,
        Map<String, JsonNode> top) {
    static final String NSLOTS = "nslots";

    /** The value of a time that is not set, as flux-core writes it. */
    private static final JsonNode UNSET = seconds(0);

    static final Envelope EMPTY = new Envelope(UNSET, UNSET, null, Map.of(), Map.of());

    double startSeconds() {
        return set(starttime);
    }

    double expirationSeconds() {
        return set(expiration);
    }

    private static double set(@Nullable JsonNode seconds) {
        return seconds == null ? 0 : Math.max(0, seconds.doubleValue());
    }

    Envelope withExpiration(double seconds) {
        if (!(seconds >= 0) || Double.isInfinite(seconds)) {
            throw new IllegalArgumentException("expiration must be seconds since the epoch, not " + seconds);
        }
        if (seconds > 0 && seconds <= startSeconds()) {
            throw new IllegalArgumentException("expiration " + seconds + " must be after starttime " + starttime);
        }
        return new Envelope(starttime, seconds(seconds), scheduling, execution, top);
    }

    Envelope withExpirationOf(Envelope that) {
        return new Envelope(starttime, that.expiration, scheduling, execution, top);
    }

    Envelope withScheduling(@Nullable RawJson other) {
        return new Envelope(starttime, expiration, other, execution, top);
    }

    /**
     * Returns this envelope without {@code nslots}. If a set is changed, it is no longer the allocation whose slots were
     * counted.
     */
    Envelope withoutSlots() {
        if (!execution.containsKey(NSLOTS)) {
            return this;
        }
        Map<String, JsonNode> rest = new LinkedHashMap<>(execution);
        rest.remove(NSLOTS);
        return new Envelope(starttime, expiration, scheduling, rest, top);
    }

    /** Returns the envelope of a combination of two sets. As in flux-core, it has no times and no slots. */
    Envelope combined(@Nullable RawJson combinedScheduling) {
        return new Envelope(UNSET, UNSET, combinedScheduling, withoutSlots().execution, top);
    }

    /** Returns the envelope of a set that keeps only {@code kept} of its {@code ranks}. */
    Envelope keep(Idset ranks, Idset kept) {
        return kept.isEmpty() ? withScheduling(null) : mapRanks(ranks, some -> some.intersect(kept));
    }

    /** Returns the envelope of a set whose {@code ranks} were changed by {@code change}. */
    Envelope mapRanks(Idset ranks, UnaryOperator<Idset> change) {
        return withScheduling(TreePool.mapRanks(scheduling, ranks, change));
    }

    /**
     * Returns the seconds as a float in plain digits with all microseconds, because readers treat an exponent in different
     * ways.
     */
    private static JsonNode seconds(double seconds) {
        BigDecimal exact = BigDecimal.valueOf(seconds);
        return DecimalNode.valueOf(exact.setScale(Math.max(1, exact.scale())));
    }
}
