package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Fields;
import io.muster.inventory.state.ChangeId;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import org.jspecify.annotations.Nullable;

/**
 * The request {@code resource.reload}, in flux-core's form: {@code {path, xml, force}}. A request that changes something has all of these keys.
 *
 * @param path path of a file that the server reads
 * @param xml whether the path is a directory of hwloc XML and not a file with R
 * @param force makes flux-core accept more ranks than it has brokers
 * @param dryRun whether nothing is changed, and the answer says what would be; flux-core has no dry run, so such a request lacks keys that
 *     flux-core requires
 * @param id the id of the change; flux-core has none
 */
public record ReloadRequest(
        String path,
        boolean xml,
        boolean force,
        boolean dryRun,
        @Nullable ChangeId id) {
    public static final String TOPIC = "resource.reload";
    public static final String DRY_RUN = "dry-run";

    public ReloadRequest(String path, boolean xml, boolean force) {
        this(path, xml, force, false, null);
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
                        Errno.EPROTO,
                        TOPIC + ": /path must be a string, /xml, /force and /dry-run must be true or false"));
        return in.flag(DRY_RUN)
                ? new ReloadRequest(in.text("path"), in.flag("xml"), in.flag("force"), true, id)
                : new ReloadRequest(in.text("path"), in.givenFlag("xml"), in.givenFlag("force"), false, id);
    }

    public ObjectNode toJson() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        return payload.put("path", path).put("xml", xml).put("force", force);
    }
}
