package io.muster.protocol.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.acquire.First;
import io.muster.protocol.acquire.Next;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler's knowledge of the inventory, built only from the responses to its acquire request (RFC 28). The test fails at a response
 * that breaks the protocol, that repeats known information, or that has ever made a deployed scheduler fail.
 */
public final class SchedulerModel {
    private final SortedMap<String, Idset> properties = new TreeMap<>();
    private @Nullable ResourceSet resources;
    private Idset offered = Idset.EMPTY;
    private Idset shrunk = Idset.EMPTY;
    private Idset up = Idset.EMPTY;
    private double expiration;
    private long responses;

    public void receive(Bytes payload) throws ProtocolException {
        receive(Json.parse(payload));
    }

    public synchronized void receive(ObjectNode payload) {
        if (responses++ == 0) {
            first(payload);
        } else {
            update(payload);
        }
    }

    private void first(ObjectNode payload) {
        assertThat(payload.fieldNames()).toIterable().containsExactly("resources", "up");
        First first = First.parse(payload);
        resources = first.resources();
        offered = first.resources().ranks();
        up = first.up();
        properties.putAll(first.resources().properties());
        expiration = first.resources().expiration();
    }

    /** Returns the host of a rank, as the first response has it. */
    public String hostOf(int rank) {
        return Objects.requireNonNull(resources).hostOf(rank);
    }

    private void update(ObjectNode payload) {
        Next next = Next.parse(payload);
        assertThat(Json.encode(next.toJson()))
                .as("nothing had to be mended: %s", payload)
                .isEqualTo(Json.encode(payload));
        check(present(), next.up().union(next.down()), "was offered and is not shrunk", payload);
        check(offered.subtract(up), next.up(), "was not up", payload);
        check(up, next.down().subtract(next.shrink()), "was up", payload);
        up = up.union(next.up()).subtract(next.down());
        shrunk = shrunk.union(next.shrink());
        assertThat(present().isEmpty() && !offered.isEmpty())
                .as("the last rank is shrunk: %s", payload)
                .isFalse();
        next.propertyAdd().forEach((name, ranks) -> {
            check(present().subtract(having(name)), ranks, "is there and had no " + name, payload);
            properties.merge(name, ranks, Idset::union);
        });
        next.propertyRemove().forEach((name, ranks) -> {
            check(having(name), ranks, "had " + name, payload);
            properties.put(name, having(name).subtract(ranks));
        });
        next.expiration().ifPresent(seconds -> {
            assertThat(seconds).as("a new expiration: %s", payload).isNotEqualTo(expiration);
            expiration = seconds;
        });
    }

    private static void check(Idset allowed, Idset named, String condition, ObjectNode payload) {
        assertThat(named.subtract(allowed))
                .as("no rank but one that %s: %s", condition, payload)
                .isEqualTo(Idset.EMPTY);
    }

    private Idset having(String property) {
        return properties.getOrDefault(property, Idset.EMPTY);
    }

    /** The ranks that the scheduler was offered, without those that are shrunk. */
    public synchronized Idset present() {
        return offered.subtract(shrunk);
    }

    /** The ranks that the scheduler was offered at first. */
    public synchronized Idset offered() {
        return offered;
    }

    public synchronized Idset up() {
        return up;
    }

    /** The properties of the ranks that are not shrunk. */
    public synchronized SortedMap<String, Idset> properties() {
        return among(present(), properties);
    }

    public synchronized double expiration() {
        return expiration;
    }

    public synchronized long responses() {
        return responses;
    }

    /** Whether the scheduler knows exactly this of the ranks that it was offered and that are not shrunk. */
    public synchronized boolean knows(Idset nowUp, Map<String, Idset> nowHaving, double nowExpiring) {
        Idset present = present();
        return responses > 0
                && up.equals(nowUp.intersect(present))
                && among(present, properties).equals(among(present, nowHaving))
                && expiration == nowExpiring;
    }

    /** Checks that the scheduler {@link #knows} this. */
    public synchronized void assertKnows(Idset nowUp, Map<String, Idset> nowHaving, double nowExpiring) {
        if (knows(nowUp, nowHaving, nowExpiring)) {
            return;
        }
        assertThat(responses).as("responses to the acquire request").isPositive();
        assertThat(up).isEqualTo(nowUp.intersect(present()));
        assertThat(properties()).isEqualTo(among(present(), nowHaving));
        assertThat(expiration).isEqualTo(nowExpiring);
    }

    /** The properties that some of these ranks have. */
    public static SortedMap<String, Idset> among(Idset ranks, Map<String, Idset> properties) {
        SortedMap<String, Idset> found = new TreeMap<>();
        properties.forEach((name, having) -> {
            if (having.intersects(ranks)) {
                found.put(name, having.intersect(ranks));
            }
        });
        return found;
    }
}
