package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.state.ReportChanges;
import io.muster.protocol.rpc.RpcException;

/**
 * The request {@code resource.report}, which only Muster has: {@code {reporter, ranks, online, torpid?}}. A reporter registers the ranks
 * that it reports for, with their liveness. The response is {@code {ranks}}, and the stream stays open as long as the reporter
 * reports.
 */
public record ReportRequest(ReportChanges.Register command) {
    public static final String TOPIC = "resource.report";

    /** The request in which a reporter says which ranks jobs use: {@code {allocated}}. */
    public static final String USAGE_TOPIC = "resource.usage";

    /** @throws RpcException EPROTO if a key is missing or has the wrong type */
    public static ReportRequest parse(Fields in) {
        return new ReportRequest(new ReportChanges.Register(
                in.text("reporter"),
                in.parse("ranks", Idset::parse),
                in.parse("online", Idset::parse),
                in.has("torpid") ? in.parse("torpid", Idset::parse) : Idset.EMPTY));
    }

    /**
     * Reads the payload of a report of the usage.
     *
     * @throws RpcException EPROTO if the key is missing or is not an idset
     */
    public static Idset parseUsage(Fields in) {
        return in.parse("allocated", Idset::parse);
    }

    public ObjectNode toJson() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("reporter", command.reporter())
                .put("ranks", command.ranks().toString())
                .put("online", command.online().toString())
                .put("torpid", command.torpid().toString());
    }
}
