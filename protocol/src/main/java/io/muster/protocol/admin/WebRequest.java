package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Fields;
import io.muster.protocol.rpc.RpcException;
import org.jspecify.annotations.Nullable;

/**
 * The request {@code resource.web}, which only Muster has: {@code {right, lifetime, holder?}}. The response is {@code {name, rights,
 * holder, created, expires, url, token}}: a token for the page, and the address of the page.
 *
 * @param right {@code read}, {@code hold} or {@code change}
 * @param lifetime the seconds after which the token expires
 * @param holder the holder of drains with the right {@code hold}; null for the default: the holder in the user's grant, or the user's name
 */
public record WebRequest(
        String right, long lifetime, @Nullable String holder) {
    public static final String TOPIC = "resource.web";

    /** The longest lifetime, in seconds: thirty days. */
    public static final long LONGEST = 30L * 86_400;

    /** @throws RpcException EPROTO if a key is missing, has the wrong type or is out of range */
    public static WebRequest parse(Fields in) {
        return new WebRequest(in.text("right"), in.integer("lifetime", 1, LONGEST), in.optional("holder"));
    }

    public ObjectNode toJson() {
        ObjectNode json =
                JsonNodeFactory.instance.objectNode().put("right", right).put("lifetime", lifetime);
        if (holder != null) {
            json.put("holder", holder);
        }
        return json;
    }
}
