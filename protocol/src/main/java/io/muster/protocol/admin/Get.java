package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Definition;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;

/**
 * The answer to {@code resource.get}, in flux-core's form: {@code {R, method}}.
 *
 * @param resources R as it is now, excluded ranks and {@code scheduling} included
 * @param method RFC 44's word for where R came from
 */
public record Get(ResourceSet resources, String method) {
    public static Get of(Definition definition) {
        return new Get(definition.resources(), definition.method());
    }

    /** @throws io.muster.inventory.problem.InvalidException if it is something else, naming the place */
    public static Get parse(JsonNode payload) {
        Members in = Members.of("resource.get", payload);
        return new Get(in.resources("R"), in.text("method"));
    }

    public Bytes encode() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.set("R", resources.toSharedJson());
        return Json.encode(payload.put("method", method));
    }
}
