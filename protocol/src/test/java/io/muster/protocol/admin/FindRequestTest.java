package io.muster.protocol.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FindRequestTest {
    private static final int NODES = 40_000;

    private final ResourceSet r = ResourceSet.of(
            Hostlist.parse("node[0-" + (NODES - 1) + "]"),
            Idset.range(0, NODES - 1),
            Idset.of(0),
            Idset.EMPTY,
            Map.of());
    private final ResourceGraph tagged =
            ResourceGraph.of(r, Detail.NODES).tag(Idset.range(1, NODES), "note", "x".repeat(1000));

    private ObjectNode answer(String expression, String output) throws ProtocolException {
        FindRequest request = FindRequest.parse(Payload.fields(
                FindRequest.TOPIC,
                JsonNodeFactory.instance.objectNode().put("expr", expression).put("output", output)));
        return Json.parse(request.answer(tagged, r, request.search().in(tagged, r), 7));
    }

    /** The tags alone have 40 MB. The number of vertices is allowed. */
    @Test
    void aResponseLongerThanTheLimitIsRefusedAndAShorterOneIsSent() throws ProtocolException {
        assertThatThrownBy(() -> answer("node", "jgf"))
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOVERFLOW))
                .hasMessageContaining("the response would be longer than 32 MiB: narrow the expression");
        assertThat(answer("node", "paths").path("paths")).hasSize(NODES);
        assertThat(answer("node", "hosts").path("count").asInt()).isEqualTo(NODES);
        ObjectNode few = answer("node and rank=3-4", "jgf");
        assertThat(few.path("jgf")).isEqualTo(Jgf.toJson(tagged, Jgf.Form.FULL, Idset.of(4, 5)));
        assertThat(few.path("seq").asInt()).isEqualTo(7);
    }
}
