package io.muster.protocol.acquire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;

/**
 * The first response of an acquire stream (RFC 28 "Initial Acquire Response").
 *
 * <p>Only these two keys are sent: deployed schedulers exit if the first response has {@code down} or {@code shrink}, and
 * the exit of one of these schedulers also ends the broker that runs it.
 *
 * @param resources resources that may be scheduled, without excluded ranks
 * @param up ranks in {@code resources} that may be allocated now
 */
public record First(ResourceSet resources, Idset up) {
    private static final Bytes HEAD = Bytes.wrap("{\"resources\":".getBytes(StandardCharsets.US_ASCII));

    public First {
        if (!resources.ranks().containsAll(up)) {
            throw new IllegalArgumentException(
                    "up names ranks that are not in resources: " + up.subtract(resources.ranks()));
        }
    }

    public static First parse(JsonNode payload) {
        Fields in = Fields.of("first acquire response", payload).only(Next.FOREIGN_KEY, "resources", "up");
        Idset up = Next.idset(in, "up");
        ResourceSet set =
                ResourceSet.parse(in.object("resources", "an R object").json());
        if (!set.ranks().containsAll(up)) {
            throw in.fault("up", "names ranks that are not in resources: " + up.subtract(set.ranks()));
        }
        return new First(set, up);
    }

    public ObjectNode toJson() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.set("resources", resources.toJson());
        return payload.put("up", up.toString());
    }

    /**
     * Encodes the payload from resources that were encoded before. Writing R with a scheduling graph is most of the cost of
     * a first response, and R changes far less often than {@code up}.
     *
     * @param resources an R object in JSON, as {@link ResourceSet#toPieces} returns it; the payload shares its bytes
     */
    public static Bytes encode(Bytes resources, Idset up) {
        return Bytes.join(HEAD, resources, Bytes.text(",\"up\":\"" + up + "\"}"));
    }
}
