package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.protocol.acquire.First;
import io.muster.protocol.acquire.Next;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Response;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A scheduler that knows only what it was sent by RFC 28, and checks that strictly. */
final class Follower {
    final Stage.Caller caller;
    final int matchtag;
    boolean started;
    Idset offered = Idset.EMPTY;
    Idset gone = Idset.EMPTY;
    Idset up = Idset.EMPTY;
    final Map<String, Idset> properties = new TreeMap<>();
    double expiration;

    Follower(Stage.Caller caller) {
        this.caller = caller;
        this.matchtag = caller.send("resource.acquire", null, Header.STREAMING);
    }

    /** @return the number of responses read */
    int read() throws ProtocolException {
        int count = caller.responses.size();
        for (Response response : caller.responses) {
            assertThat(response.errnum()).as(Stage.text(response)).isZero();
            assertThat(response.matchtag()).isEqualTo(matchtag);
            ObjectNode payload = Json.parse(Objects.requireNonNull(response.payload()));
            if (started) {
                next(payload);
            } else {
                first(payload);
            }
        }
        caller.responses.clear();
        return count;
    }

    private void first(ObjectNode payload) {
        assertThat(payload.fieldNames()).toIterable().containsExactly("resources", "up");
        First first = First.parse(payload);
        started = true;
        offered = first.resources().ranks();
        up = first.up();
        properties.putAll(first.resources().properties());
        expiration = first.resources().expiration();
        assertThat(offered.containsAll(up)).isTrue();
    }

    private void next(ObjectNode payload) {
        assertThat(payload.has("resources")).as("told twice").isFalse();
        assertThat(payload).as("an update of nothing").isNotEmpty();
        Idset ups = Idset.parse(payload.path("up").asText());
        Idset downs = Idset.parse(payload.path("down").asText());
        Idset shrunk = Idset.parse(payload.path("shrink").asText());
        assertThat(ups.intersects(downs)).as("up and down: %s", payload).isFalse();
        assertThat(downs.containsAll(shrunk)).as("shrink is down: %s", payload).isTrue();
        assertThat(offered.subtract(gone).containsAll(ups.union(downs)))
                .as("only what was offered and not shrunk: %s", payload)
                .isTrue();
        assertThat(ups.intersects(up)).as("up already: %s", payload).isFalse();
        assertThat(up.containsAll(downs.subtract(shrunk)))
                .as("down already: %s", payload)
                .isTrue();
        up = up.union(ups).subtract(downs);
        gone = gone.union(shrunk);
        Next next = Next.parse(payload);
        next.propertyAdd().forEach((name, ranks) -> properties.merge(name, ranks, Idset::union));
        next.propertyRemove()
                .forEach((name, ranks) -> properties.computeIfPresent(name, (n, has) -> has.subtract(ranks)));
        properties.values().removeIf(Idset::isEmpty);
        expiration = next.expiration().orElse(expiration);
    }
}
