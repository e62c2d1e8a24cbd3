package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.Scheduler;
import io.muster.inventory.status.StateGroup;
import io.muster.protocol.admin.StateAnswer;
import io.muster.protocol.admin.Status;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The inventory of a server at one moment, from one response: Muster's {@code resource.state}, or the corresponding part
 * of a Flux broker's {@code resource.status}. A broker does not know which user drained a node, nor since when a node is
 * offline.
 *
 * @param time the server's clock; 0 from a broker
 * @param fault why the daemon accepts no changes, or null
 * @param clock why the daemon doubts its clock, or null
 * @param journalBytes the size of the daemon's files on disk; 0 if it is not known
 * @param waiting parts of a new R that wait until the scheduler acquires again
 * @param usage the reports of reporters about jobs
 * @param flux whether the server is a Flux broker
 */
public record Overview(
        InventoryState state,
        long seq,
        double time,
        @Nullable String fault,
        @Nullable String clock,
        List<String> waiting,
        List<Scheduler> schedulers,
        List<JobUsage> usage,
        long journalBytes,
        boolean flux) {
    public static final int SCHEMA_VERSION = 1;

    private static final Principal UNKNOWN = new Principal(-1, "", 0);

    public static Overview ask(FluxClient client) throws IOException {
        try {
            return of(StateAnswer.parse(client.rpc(StateAnswer.TOPIC, null)));
        } catch (RpcException e) {
            if (e.errno().equals(Errno.ENOSYS)) {
                return of(Status.parse(client.rpc("resource.status", null)));
            }
            throw e;
        }
    }

    private static Overview of(StateAnswer answer) {
        return new Overview(
                answer.state(),
                answer.seq(),
                answer.time(),
                orNull(answer.fault()),
                orNull(answer.clock()),
                answer.waiting(),
                answer.schedulers(),
                answer.usage(),
                answer.journalBytes(),
                false);
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /** Builds a state from a broker's response, by applying the events that would lead to it. */
    static Overview of(Status status) {
        InventoryState state = InventoryState.empty();
        state = state.apply(
                new DefinitionChanges.Defined("flux", status.resources(), Liveness.Status.ONLINE), 0, UNKNOWN);
        state = report(state, LivenessChange.OFFLINE, status.offline());
        state = report(state, LivenessChange.TORPID, status.torpid());
        for (Map.Entry<Status.Reason, Idset> drain : status.drain().entrySet()) {
            String reason = drain.getKey().reason();
            Event event = new HoldChanges.Drained(
                    new Event.Targets(drain.getValue(), ""),
                    reason.isEmpty() ? null : reason,
                    HoldChanges.Overwrite.NOTHING,
                    Hold.SHARED,
                    0);
            state = state.apply(event, drain.getKey().timestamp(), UNKNOWN);
        }
        Event.Targets excluded = new Event.Targets(status.exclude(), "");
        state = state.apply(new MembershipChanges.Excluded(excluded, Membership.Kind.CONFIG, null), 0, UNKNOWN);
        return new Overview(state, 0, 0, null, null, List.of(), List.of(), List.of(), 0, true);
    }

    private static InventoryState report(InventoryState state, LivenessChange change, Idset ranks) {
        return ranks.isEmpty()
                ? state
                : state.apply(
                        new LivenessChanges.LivenessChanged(change, new Event.Targets(ranks, ""), ""), 0, UNKNOWN);
    }

    /** Returns the groups of ranks that people see. */
    public List<StateGroup> groups(Idset among) {
        return StateGroup.of(state, JobUsage.allocated(usage), among);
    }

    public ResourceSet resources() {
        return state.resources();
    }

    /**
     * Returns the server's time if the server sent it, so that ages are right even if the clocks differ; otherwise the time
     * of this host.
     */
    public double now(Console console) {
        return time > 0 ? time : console.now();
    }

    public ObjectNode toJson(Scheduler scheduler) {
        String unknown = resources().hostsOf(scheduler.unknown(state)).toString();
        return scheduler.toJson().put("unknown", unknown);
    }

    /** Returns the first keys of every JSON output about the inventory. */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", SCHEMA_VERSION);
        json.put("server", flux ? "flux" : "muster");
        if (!flux) {
            json.put("seq", seq);
            json.put("time", Times.rfc3339(time));
            json.put("fault", fault);
            json.put("clock", clock);
            ArrayNode reported = json.putArray("usage");
            usage.forEach(each -> reported.add(each.toJson()));
        }
        return json;
    }
}
