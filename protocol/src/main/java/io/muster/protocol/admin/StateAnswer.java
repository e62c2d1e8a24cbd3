package io.muster.protocol.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.Scheduler;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The response to {@code resource.state}, a method that only Muster has: everything that the daemon knows, with R
 * without {@code scheduling}. The form is {@code {schema_version, seq, time, fault, clock, journal_bytes, waiting, schedulers, usage, up,
 * R, state}}.
 * {@code up} can be computed from {@code state}; it is there for programs that need nothing else.
 *
 * @param time the server's clock, seconds since the epoch
 * @param fault the reason why the daemon refuses changes; "" if it accepts them
 * @param clock the reason why the daemon does not trust the wall clock; "" if it does
 * @param journalBytes the size of everything that the daemon keeps on disk; 0 from a daemon that does not report this
 * @param waiting parts of a new R that take effect when the scheduler acquires again
 * @param usage the ranks that jobs use, as reporters say
 */
public record StateAnswer(
        long seq,
        double time,
        String fault,
        String clock,
        long journalBytes,
        List<String> waiting,
        List<Scheduler> schedulers,
        List<JobUsage> usage,
        InventoryState state) {
    public static final String TOPIC = "resource.state";

    /** The length of the end of a payload: a brace and a NUL. */
    private static final int END = 2;

    /**
     * Reads a payload.
     *
     * @throws io.muster.inventory.problem.InvalidException naming the place, if the payload is something else
     */
    public static StateAnswer parse(JsonNode payload) {
        Fields in = Fields.of(TOPIC, payload);
        ObjectNode state = in.object("state").json();
        state.set("R", payload.path("R"));
        List<Scheduler> schedulers = new ArrayList<>();
        for (Fields scheduler : in.list("schedulers")) {
            schedulers.add(scheduler(scheduler));
        }
        List<JobUsage> usage = new ArrayList<>();
        for (Fields each : in.has("usage") ? in.list("usage") : List.<Fields>of()) {
            usage.add(new JobUsage(
                    each.text("reporter"),
                    each.parse("ranks", Idset::parse),
                    each.parse("allocated", Idset::parse),
                    each.number("time")));
        }
        return new StateAnswer(
                (long) in.number("seq"),
                in.number("time"),
                in.textOr("fault", ""),
                in.textOr("clock", ""),
                in.has("journal_bytes") ? (long) in.number("journal_bytes") : 0,
                in.textsOrNone("waiting"),
                schedulers,
                usage,
                StateJson.parse(state));
    }

    private static Scheduler scheduler(Fields in) {
        return new Scheduler(
                in.text("user"),
                (int) (long) in.number("userid"),
                (int) in.number("pid"),
                in.number("since"),
                (long) in.number("responses"),
                in.parse("offered", Idset::parse),
                in.parse("up", Idset::parse),
                in.flag("behind"),
                in.textOr("owner", ""),
                in.has("until") ? in.number("until") : 0);
    }

    private static ObjectNode json(Scheduler scheduler) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("userid", scheduler.userid()).put("user", scheduler.user()).put("pid", scheduler.pid());
        json.set("since", Epoch.number(scheduler.since()));
        json.put("responses", scheduler.responses())
                .put("offered", scheduler.offered().toString());
        json.put("up", scheduler.up().toString()).put("behind", scheduler.behind());
        if (!scheduler.owner().isEmpty()) {
            json.put("owner", scheduler.owner());
        }
        if (!scheduler.isConnected()) {
            json.set("until", Epoch.number(scheduler.until()));
        }
        return json;
    }

    public Bytes encode() {
        return encode(body(state));
    }

    /**
     * Encodes the payload. The members before {@code up} are short and are encoded anew each time; the rest is long, depends
     * on the state alone and may be kept by the caller.
     *
     * @param body {@link #body} of the same state
     */
    public Bytes encode(Bytes body) {
        ObjectNode head = JsonNodeFactory.instance.objectNode();
        head.put("schema_version", Json.SCHEMA_VERSION).put("seq", seq);
        head.set("time", Epoch.number(time));
        head.put("fault", fault);
        head.put("clock", clock).put("journal_bytes", journalBytes);
        ArrayNode parts = head.putArray("waiting");
        waiting.forEach(parts::add);
        ArrayNode holders = head.putArray("schedulers");
        schedulers.forEach(scheduler -> holders.add(json(scheduler)));
        ArrayNode reported = head.putArray("usage");
        for (JobUsage each : usage) {
            ObjectNode entry = reported.addObject().put("reporter", each.reporter());
            entry.put("ranks", each.ranks().toString());
            entry.put("allocated", each.allocated().toString()).set("time", Epoch.number(each.time()));
        }
        Bytes text = Json.encode(head);
        ByteBuffer payload = ByteBuffer.allocate(text.length() - END + body.length());
        text.first(text.length() - END).writeTo(payload);
        body.writeTo(payload);
        return Bytes.wrap(payload.array());
    }

    /** Encodes the part that depends on the state alone: the payload from the comma before {@code up} to its end. */
    public static Bytes body(InventoryState state) {
        Bytes resources =
                Json.encode((ObjectNode) state.resources().withoutScheduling().toSharedJson());
        ByteArrayOutputStream body = new ByteArrayOutputStream(4096);
        body.writeBytes((",\"up\":\"" + state.view().up() + "\",\"R\":").getBytes(UTF_8));
        body.writeBytes(resources.first(resources.length() - 1).toByteArray());
        body.writeBytes(",\"state\":".getBytes(UTF_8));
        body.writeBytes(StateJson.toBytesWithoutR(state));
        body.write('}');
        body.write(0);
        return Bytes.wrap(body.toByteArray());
    }
}
