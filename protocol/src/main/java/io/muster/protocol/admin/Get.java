package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.json.Fields;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;

/**
 * The response to {@code resource.get}, in flux-core's form: {@code {R, method}}.
 *
 * @param resources current R, including excluded ranks and {@code scheduling}
 * @param method RFC 44's word for the source of R
 */
public record Get(ResourceSet resources, String method) {
    public static Get of(Definition definition) {
        return new Get(definition.resources(), definition.method());
    }

    /**
     * Reads a payload.
     *
     * @throws io.muster.inventory.problem.InvalidException naming the place, if the payload is something else
     */
    public static Get parse(JsonNode payload) {
        Fields in = Fields.of("resource.get", payload);
        return new Get(in.tree("R", ResourceSet::parse), in.text("method"));
    }

    public Bytes encode() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.set("R", resources.toSharedJson());
        return Json.encode(payload.put("method", method));
    }
}
