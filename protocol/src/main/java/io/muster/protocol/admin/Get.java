package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.json.Fields;
import io.muster.inventory.json.Pieces;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;

/**
 * The response to {@code resource.get}, in flux-core's form: {@code {R, method}}. Muster adds {@code graph}, the entries of its
 * configuration, if there are any.
 *
 * @param resources current R, including excluded ranks and {@code scheduling}
 * @param method RFC 44's word for the source of R
 * @param graph the {@code [[graph]]} entries as they are configured; missing if there are none
 */
public record Get(ResourceSet resources, String method, JsonNode graph) {
    private static final String GRAPH = "graph";

    public static Get of(Definition definition, JsonNode graph) {
        return new Get(definition.resources(), definition.method(), graph);
    }

    /**
     * Reads a payload.
     *
     * @throws io.muster.inventory.problem.InvalidException naming the place, if the payload is something else
     */
    public static Get parse(JsonNode payload) {
        Fields in = Fields.of("resource.get", payload);
        return new Get(in.tree("R", ResourceSet::parse), in.text("method"), payload.path(GRAPH));
    }

    public Bytes encode() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.set("R", resources.toSharedJson());
        payload.put("method", method);
        if (!graph.isMissingNode()) {
            payload.set(GRAPH, graph);
        }
        Pieces out = new Pieces();
        Json.write(payload, out);
        return Bytes.of(out.all());
    }
}
