package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Fields;
import io.muster.inventory.state.ChangeId;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import org.jspecify.annotations.Nullable;

/**
 * The request {@code resource.reload}, in flux-core's form: {@code {path, xml, force}}. All keys are required.
 *
 * @param path path of a file that the server reads
 * @param xml whether the path is a directory of hwloc XML and not a file with R
 * @param force makes flux-core accept more ranks than it has brokers
 * @param id the id of the change; flux-core has none
 */
public record ReloadRequest(
        String path, boolean xml, boolean force, @Nullable ChangeId id) {
    public static final String TOPIC = "resource.reload";

    public ReloadRequest(String path, boolean xml, boolean force) {
        this(path, xml, force, null);
    }

    /**
     * Reads a payload.
     *
     * @throws RpcException EPROTO if the payload is something else
     */
    public static ReloadRequest parse(ObjectNode payload) {
        ChangeId id = RequestId.take(TOPIC, payload);
        Fields in = new Fields(
                payload,
                "",
                (place, sentence) -> new RpcException(
                        Errno.EPROTO, TOPIC + ": /path must be a string, /xml and /force must be true or false"));
        return new ReloadRequest(in.text("path"), in.givenFlag("xml"), in.givenFlag("force"), id);
    }

    public ObjectNode toJson() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        return payload.put("path", path).put("xml", xml).put("force", force);
    }
}
