package io.muster.protocol.admin;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.state.ReportChanges;
import io.muster.inventory.status.SchedulerMarks;
import io.muster.inventory.status.WaitingProperties;
import io.muster.protocol.rpc.RpcException;
import org.jspecify.annotations.Nullable;

/**
 * The request {@code resource.report}, which only Muster has: {@code {reporter, ranks, online, torpid?}}. A reporter registers the ranks
 * that it reports for, with their liveness. The response is {@code {ranks}}, and the stream stays open as long as the reporter
 * reports.
 */
public final class ReportRequest {
    public static final String TOPIC = "resource.report";

    private static final String PROPERTIES = "properties";

    /**
     * The request in which a reporter says which ranks jobs use, and which marks and properties the scheduler has: {@code {allocated,
     * marks?, properties?}}.
     */
    public static final String USAGE_TOPIC = "resource.usage";

    /**
     * A report of the usage.
     *
     * @param marks null if the reporter says nothing about marks
     * @param properties null if no properties wait until the scheduler is loaded again
     */
    public record Usage(
            Idset allocated,
            @Nullable SchedulerMarks marks,
            @Nullable WaitingProperties properties) {}

    private ReportRequest() {}

    /** @throws RpcException EPROTO if a key is missing or has the wrong type */
    public static ReportChanges.Register parse(Fields in) {
        return new ReportChanges.Register(
                in.text("reporter"),
                in.parse("ranks", Idset::parse),
                in.parse("online", Idset::parse),
                in.has("torpid") ? in.parse("torpid", Idset::parse) : Idset.EMPTY);
    }

    /**
     * Reads the payload of a report of the usage.
     *
     * @throws RpcException EPROTO if a key is missing or has the wrong type
     */
    public static Usage parseUsage(Fields in) {
        Fields marks = in.has("marks")
                ? in.object("marks").only("is not a key of a report about marks", "time", "takes", "refused")
                : null;
        Fields properties = in.has(PROPERTIES)
                ? in.object(PROPERTIES).only("is not a key of a report about properties", "why", "waiting")
                : null;
        return new Usage(
                in.parse("allocated", Idset::parse),
                marks == null
                        ? null
                        : new SchedulerMarks(marks.number("time"), marks.flag("takes"), marks.textsOrNone("refused")),
                properties == null
                        ? null
                        : new WaitingProperties(
                                properties.text("why"), AuditAnswer.ranks(properties.object("waiting"))));
    }
}
