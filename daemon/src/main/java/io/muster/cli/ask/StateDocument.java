package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Text;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A document about the state of hosts, as the daemon made it. */
public record StateDocument(ObjectNode json) {
    public static final String STATUS = "resource.status-document";
    public static final String LIST = "resource.list";
    /** The only document that always has the time. */
    public static final String SERVICE = "resource.service";

    public static final String STATE = "resource.state";
    public static final String LAYOUT = "resource.layout";
    public static final String IMPACT = "resource.impact";
    public static final String WORK = "resource.work";
    static final String HOLDS = "resource.holds";
    public static final String SUMMARY = "resource.summary";

    /** The number of marks that a sentence names. */
    private static final int MOST_REFUSED = 4;

    /** The number of planned holds that sentences name. */
    private static final int MOST_PLANS = 3;

    /**
     * Asks for a document.
     *
     * @throws Failure if the daemon refuses the question, or the server is a Flux broker
     */
    public static StateDocument ask(FluxClient client, String topic, ObjectNode question) throws IOException {
        try {
            return new StateDocument(client.rpc(topic, topic.equals(SERVICE) ? question : question.put("time", true)));
        } catch (RpcException e) {
            throw refused(e, client, question.path("targets").asText());
        }
    }

    /** Returns the failure of a question about targets, with the hint that they are names of other resources, such as racks. */
    static Failure refused(RpcException e, FluxClient client, String targets) throws IOException {
        boolean isAbsent = e.errno().equals(Errno.ENOENT) && !targets.isEmpty();
        return isAbsent ? new Failure(Exit.NO_TARGET, e.sentence(), TargetNames.hint(client, targets)) : refused(e);
    }

    /** Returns the failure of a question that was refused. A Flux broker refuses all of Muster's own topics. */
    public static Failure refused(RpcException e) {
        if (e.errno().equals(Errno.ENOSYS)) {
            return new Failure(
                    Exit.ERROR,
                    "the server is a Flux broker: use `flux resource`, such as `flux resource status`",
                    "--uri names the socket of a daemon of Muster");
        }
        if (e.errno().equals(Errno.EPROTO) || e.errno().equals(Errno.EINVAL)) {
            return new Failure(Exit.USAGE, e.sentence());
        }
        return e.errno().equals(Errno.ENOENT) ? new Failure(Exit.NO_TARGET, e.sentence()) : Failure.of(e, "");
    }

    /**
     * Returns the hosts that targets name.
     *
     * @param key {@code targets} if each target must exist, {@code include} if one of them must
     */
    public static Found find(FluxClient client, String key, String targets) throws IOException {
        ObjectNode question = JsonNodeFactory.instance.objectNode().put(key, targets);
        Hostlist hosts = Hostlist.EMPTY;
        Idset.Builder ranks = Idset.builder();
        for (JsonNode group : ask(client, LAYOUT, question).json.path("resources")) {
            hosts = hosts.append(Hostlist.parse(group.path("hosts").asText()));
            ranks.addAll(Idset.parse(group.path("ranks").asText()));
        }
        return new Found(hosts, ranks.build());
    }

    /** Hosts and their ranks. */
    public record Found(Hostlist hosts, Idset ranks) {}

    /** Returns the daemon's time, so that ages are right even if the clocks differ. */
    public double now() {
        return time("time");
    }

    /** Returns a time in seconds since the epoch; 0 if the document has none. */
    public double time(String key) {
        return time(json.path(key));
    }

    /** Returns a time in seconds since the epoch; 0 if the text is none. */
    public static double time(JsonNode text) {
        if (!text.isTextual()) {
            return 0;
        }
        Instant instant = Instant.parse(text.asText());
        return instant.getEpochSecond() + instant.getNano() / (double) TimeUnit.SECONDS.toNanos(1);
    }

    public List<StateRow> groups() {
        List<StateRow> groups = new ArrayList<>();
        json.path("groups").forEach(group -> groups.add(new StateRow(group)));
        return groups;
    }

    /** Returns when the resources may be used, as far as R says it; "" if it does not. */
    public String lifetime(Zone zone) {
        return new Lifetime(time("starttime"), time("expiration")).text(now(), zone);
    }

    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Says which marks do not keep jobs away. */
    private static void marks(Console console, String who, JsonNode marks) {
        if (marks.isObject() && !marks.path("takes").asBoolean()) {
            console.complain(who + ": the scheduler takes no marks: jobs may use what is marked down");
        }
        List<String> refused = new ArrayList<>();
        marks.path("refused").forEach(place -> refused.add(place.asText()));
        if (!refused.isEmpty()) {
            int more = refused.size() - MOST_REFUSED;
            console.complain(who + ": the scheduler refused the marks on "
                    + String.join(", ", refused.subList(0, Math.min(refused.size(), MOST_REFUSED)))
                    + (more > 0 ? " and " + more + " more" : "") + ": jobs may use them");
        }
    }

    /** Says on standard error which hosts will be drained. */
    public void warnOfPlans(Console console, String verb) {
        PlanText.sentences(json.path("planned"), now(), MOST_PLANS)
                .forEach(sentence -> console.complain(verb + ": " + sentence));
    }

    /** Says on standard error what the user should know before the rows. */
    public void warn(Console console, Zone zone, String verb) {
        JsonNode standby = json.path("standby");
        if (standby.isObject()) {
            String leader = standby.path("leader").asText();
            long lag = standby.path("lag").asLong();
            String of = leader.isEmpty() ? ", and no daemon is known to lead" : " of " + leader;
            console.complain(verb + ": this daemon is a standby" + of + ": " + Text.count(lag, "event")
                    + " behind, as of "
                    + String.format(Locale.ROOT, "%.3f", standby.path("age").asDouble()) + " s ago");
        }
        if (json.path("clock").isTextual()) {
            console.complain(verb + ": " + json.path("clock").asText());
        }
        if (json.path("fault").isTextual()) {
            console.complain(verb + ": the daemon takes no changes: "
                    + json.path("fault").asText());
        }
        List<String> waiting = new ArrayList<>();
        json.path("waiting").forEach(part -> waiting.add(part.asText()));
        if (!waiting.isEmpty()) {
            console.complain(verb + ": a scheduler has acquired an older R; until it acquires again, these parts of the"
                    + " new R wait: " + String.join("; ", waiting));
        }
        for (JsonNode reporter : json.path("usage")) {
            marks(console, verb + ": " + reporter.path("reporter").asText(), reporter.path("marks"));
        }
        for (JsonNode scheduler : json.path("schedulers")) {
            String name = scheduler.path("name").asText();
            if (!scheduler.path("connected").asBoolean()) {
                console.complain(verb + ": " + name + " is not connected; the acquisition is kept until "
                        + zone.second(time(scheduler.path("until"))));
            }
            String unknown = scheduler.path("unknown").asText();
            if (!unknown.isEmpty()) {
                console.complain(verb + ": " + name + " does not know "
                        + Hostlist.parse(unknown).abridged() + " until it acquires again");
            }
        }
    }
}
