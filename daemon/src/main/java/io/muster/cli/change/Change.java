package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Text;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Expected;
import io.muster.protocol.admin.RequestId;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.operation.ChangeRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A verb that sends one command to the daemon. As in flux, it prints nothing if the command was carried out. */
abstract class Change extends ServerVerb {
    /** The keys of requests whose refusal with EINVAL means that the user has mistyped something. */
    private static final List<String> TYPED = List.of("select", "properties", "check", "lease");

    @Mixin
    private final ChangeOptions manner = new ChangeOptions();

    @Mixin
    final ZoneOption zone = new ZoneOption();

    /** Null if the verb was created without picocli. */
    @Spec
    private @Nullable CommandSpec spec;

    Change(Console console) {
        super(console);
    }

    /** Returns the words of the reason as the user gave them; null if there are none. */
    String @Nullable [] words() {
        return null;
    }

    /** Returns the command to send. The method may first ask the daemon for information. */
    abstract Command command(FluxClient client) throws IOException;

    /** Returns whether the command waits until no job uses the hosts. */
    final boolean waitsForIdle() {
        return manner.waitsForIdle();
    }

    /** Returns what a user can do about a refusal because of the state of targets; "" for nothing special. */
    String advice(RpcException refusal) {
        return "";
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        ChangeRequest.Call call = ChangeRequest.call(command(client), manner.dryRun());
        ObjectNode payload = call.payload();
        JsonNode targets = payload.remove("targets");
        boolean hasTargets = targets != null || payload.has("properties");
        if (manner.waitsForIdle() && !hasTargets) {
            throw new Failure(Exit.USAGE, "--wait=idle: this change has no hosts", "give --wait without =idle");
        }
        if (targets != null) {
            payload.set("select", targets);
            if (isReasonMeant()) {
                payload.put("reason-meant", true);
            }
        }
        boolean asks = hasTargets && !manner.dryRun() && console().terminal().canAsk();
        if (!asks) {
            RequestId.give(payload, RandomId.next());
        }
        return once(client, connected -> {
            if (asks && !payload.has("id")) {
                confirm(connected, call);
                RequestId.give(payload, RandomId.next());
            }
            return make(connected, call);
        });
    }

    /** Returns whether the reason is meant although it begins with targets. */
    private boolean isReasonMeant() {
        return ReasonWords.areQuoted(words())
                || (spec != null
                        && spec.commandLine().getParseResult().originalArgs().contains("--"));
    }

    /**
     * Asks whether a change of many hosts, or one for good, is meant, which a dry run says. If the change is confirmed, the daemon makes it for the hosts that
     * were shown only.
     */
    private void confirm(FluxClient client, ChangeRequest.Call call) throws IOException {
        ObjectNode payload = call.payload().deepCopy().put("dry-run", true);
        ObjectNode dry = dry(send(client, new ChangeRequest.Call(call.topic(), payload)));
        String jobs = DryRunText.jobs(dry);
        if ((!dry.path("confirm").asBoolean() && jobs.isEmpty()) || !dry.has("hosts")) {
            return;
        }
        String named = dry.path("hosts").asText();
        Hostlist hosts = Hostlist.parse(named);
        String question = question(hosts, dry.path("nodes").asInt()) + (jobs.isEmpty() ? "" : " " + jobs);
        for (JsonNode claim : dry.path("claims-ended")) {
            question += " " + claim.asText() + ".";
        }
        console().confirm(question);
        call.payload().put("expect", named.length() > Expected.LONG ? Expected.digest(hosts) : named);
    }

    /** Returns the answer to a dry run. A Flux broker knows none and has made the change. */
    private static ObjectNode dry(ObjectNode answer) {
        if (!answer.path("events").isArray()) {
            throw new Failure(Exit.ERROR, "the server has no dry run: it is a Flux broker, not Muster");
        }
        return answer;
    }

    /** Returns what a change would do, for a user who has to confirm the change. */
    String question(Hostlist hosts, int nodes) {
        return "This changes " + StateDocument.count(hosts.size()) + " of " + Text.count(nodes, "host") + " ("
                + Text.percent(hosts.size(), nodes) + "): " + hosts.abridged() + ".";
    }

    private int make(FluxClient client, ChangeRequest.Call call) throws IOException {
        ObjectNode answer = send(client, call);
        if (manner.dryRun()) {
            new DryRunText(dry(answer)).print(console(), zone.zone(console()), json());
            return Exit.OK;
        }
        boolean sent = manner.await(client, timeout());
        if (json()) {
            console().json(done(answer));
        } else {
            tell(client, answer);
        }
        if (!sent) {
            return manner.timedOut(console());
        }
        Hostlist targets = Hostlist.parse(answer.path("hosts").asText(""))
                .append(Hostlist.parse(answer.path("unchanged").asText("")));
        return manner.waitsForIdle()
                ? manner.awaitIdle(client, targets.toString(), givenTimeout(), console())
                : Exit.OK;
    }

    /** Prints results that a user might not expect: that nothing changed, or which other holds the change ended. */
    void tell(FluxClient client, ObjectNode answer) throws IOException {
        String unchanged = unchanged();
        if (!answer.path("changed").asBoolean(true) && unchanged != null) {
            console().complain("nothing was changed: " + unchanged);
        }
        for (JsonNode hold : answer.path("ended")) {
            console()
                    .complain("ended the hold " + hold.path("holder").asText() + " on "
                            + hold.path("nodelist").asText());
        }
        answer.path("still-out").forEach(sentence -> console().complain(sentence.asText()));
        answer.path("claims-ended").forEach(sentence -> console().complain(sentence.asText()));
        String jobs = DryRunText.jobs(answer);
        if (!jobs.isEmpty()) {
            console().complain(jobs);
        }
        if (console().terminal().isError() && answer.has("available")) {
            console().complain(DryRunText.again(answer.path("available").asText()));
        }
    }

    /** Returns why a change that was accepted changed nothing; null if users need not know. */
    @Nullable
    String unchanged() {
        return null;
    }

    /** Returns the one list of targets that the user gave and, if it is {@code -}, that standard input has. */
    final String targets(String given) throws IOException {
        return String.join(",", TargetNames.read(console(), List.of(given)));
    }

    /**
     * Returns the document for a change that the server has made.
     */
    static ObjectNode done(ObjectNode answer) {
        ObjectNode done = JsonNodeFactory.instance
                .objectNode()
                .put("schema_version", SCHEMA_VERSION)
                .put("done", true)
                .putNull("changed")
                .putNull("hosts")
                .putNull("seq");
        return done.setAll(answer);
    }

    private ObjectNode send(FluxClient client, ChangeRequest.Call call) throws IOException {
        try {
            return client.rpc(call.topic(), call.payload());
        } catch (RpcException e) {
            if ((e.errno().equals(Errno.EPROTO) || e.errno().equals(Errno.ENOSYS)) && !isMuster(client)) {
                throw new Failure(
                        Exit.ERROR,
                        "this is a Flux broker (" + version(client) + "), not Muster",
                        "nothing was changed; use `flux resource`");
            }
            if (e.errno().equals(Errno.ENOENT)) {
                String targets = call.payload().path("select").asText();
                String hint = TargetNames.hint(client, targets);
                throw new Failure(
                        Exit.NO_TARGET, e.sentence(), "nothing was changed" + (hint.isEmpty() ? "" : "; " + hint));
            }
            if (e.errno().equals(Errno.EINVAL) && TYPED.stream().anyMatch(call.payload()::has)) {
                throw new Failure(Exit.USAGE, e.sentence(), "nothing was changed");
            }
            String advice = advice(e);
            throw Failure.of(e, advice.isEmpty() ? "" : "nothing was changed; " + advice);
        }
    }
}
