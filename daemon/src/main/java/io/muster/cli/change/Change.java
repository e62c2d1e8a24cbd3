package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.TargetExpression;
import io.muster.inventory.status.Conflict;
import io.muster.protocol.admin.ChangeAnswer;
import io.muster.protocol.admin.DryRunAnswer;
import io.muster.protocol.admin.RequestId;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.operation.ChangeRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A verb that sends one command to the daemon. As in flux, it prints nothing if the command was carried out. */
abstract class Change extends ServerVerb {
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

    /** Returns the command to send. The method may first ask the daemon for information. */
    abstract Command command(FluxClient client) throws IOException;

    /**
     * Returns a failure whose sentence helps the user more than that of the daemon's refusal; null to show the daemon's
     * sentence.
     */
    @Nullable
    Failure explain(RpcException refusal, FluxClient client) throws IOException {
        return null;
    }

    /** Returns whether the targets may be hosts that R no longer names. */
    boolean takesDeparted() {
        return false;
    }

    /** Returns whether {@code all}, {@code @PROPERTY} and {@code @{EXPRESSION}} leave out excluded and lost hosts. */
    boolean leavesOutAbsent() {
        return false;
    }

    /**
     * Returns whether the request has keys that a Flux broker would ignore, so that a broker would not do what the user
     * wants.
     */
    boolean needsMuster() {
        return false;
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        Command command = command(client);
        if (manner.dryRun() || needsMuster()) {
            requireMuster(client);
        }
        ChangeRequest.Call call = ChangeRequest.call(command, manner.dryRun());
        if (manner.waitsForIdle() && targets(call.payload()).isEmpty()) {
            throw new Failure(Exit.USAGE, "--wait=idle: this change has no hosts", "give --wait without =idle");
        }
        if (!manner.dryRun()) {
            Precautions.confirm(console(), client, targets(call.payload()));
        }
        RequestId.give(call.payload(), RandomId.next());
        return once(client, connected -> make(connected, call));
    }

    private int make(FluxClient client, ChangeRequest.Call call) throws IOException {
        ObjectNode answer = send(client, call);
        if (manner.dryRun()) {
            new Preview(DryRunAnswer.parse(answer)).print(console(), zone.zone(console()), json());
            return Exit.OK;
        }
        boolean sent = manner.await(client, timeout());
        if (json()) {
            console().json(done(answer));
        } else {
            tell(client, ChangeAnswer.parse(answer));
        }
        if (!sent) {
            return manner.timedOut(console());
        }
        String targets = targets(call.payload());
        return manner.waitsForIdle()
                ? manner.awaitIdle(client, now -> TargetNames.find(now.resources(), targets), givenTimeout(), console())
                : Exit.OK;
    }

    /** Prints results that a user might not expect: that nothing changed, or which other holds the change ended. */
    void tell(FluxClient client, ChangeAnswer answer) throws IOException {
        String unchanged = unchanged();
        if (!answer.changed() && unchanged != null) {
            console().complain("nothing was changed: " + unchanged);
        }
        for (ChangeAnswer.Ended hold : answer.ended()) {
            console().complain("ended the hold " + hold.holder() + " on " + hold.nodelist());
        }
    }

    /** Returns why a change that was accepted changed nothing; null if users need not know. */
    @Nullable
    String unchanged() {
        return null;
    }

    /**
     * Returns the one list of targets that the user gave and, if it is {@code -}, that standard input has. Refuses a reason
     * whose words are all targets, unless the command line has {@code --}.
     */
    final String targets(FluxClient client, String given, String @Nullable [] reason) throws IOException {
        String read = String.join(",", TargetNames.read(console(), List.of(given)));
        String targets = TargetNames.resolve(client, read, leavesOutAbsent());
        boolean isMeant = spec != null
                && spec.commandLine().getParseResult().originalArgs().contains("--");
        if (reason != null && !isMeant) {
            String verb = Objects.requireNonNull(getClass().getAnnotation(CommandLine.Command.class))
                    .name();
            Precautions.checkReason(client, verb, targets, reason);
        }
        return targets;
    }

    /**
     * Returns the document for a change that the server has made.
     *
     * @param answer the server's answer, which does not describe the change if the server is a Flux broker
     */
    static ObjectNode done(ObjectNode answer) {
        ObjectNode done = JsonNodeFactory.instance
                .objectNode()
                .put("schema_version", Overview.SCHEMA_VERSION)
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
            if (e.errno().equals(Errno.EINVAL)) {
                checkTargets(client, targets(call.payload()));
            }
            Failure explained = explain(e, client);
            throw explained == null ? Failure.of(e, "") : explained;
        }
    }

    /** Returns the targets of a request. A change of properties has the same targets for each property. */
    private static String targets(ObjectNode payload) {
        for (JsonNode ofProperty : payload.path("properties")) {
            return ofProperty.asText();
        }
        return payload.path("targets").asText("");
    }

    final Conflict conflict(FluxClient client, String targets) throws IOException {
        Overview standing = Overview.ask(client);
        Idset ranks;
        try {
            ranks = TargetNames.find(standing.resources(), targets);
        } catch (Failure departed) {
            // The daemon has accepted the targets, so a host that R does not have must have departed.
            ranks = Idset.EMPTY;
        }
        return new Conflict(standing.state(), ranks, standing.now(console()));
    }

    /**
     * Checks the targets against R, because the daemon uses the same error number for wrong targets and for any other wrong
     * argument.
     */
    private void checkTargets(FluxClient client, String targets) throws IOException {
        if (targets.isEmpty()) {
            return;
        }
        Overview standing = Overview.ask(client);
        try {
            TargetNames.find(standing.resources(), targets);
        } catch (Failure e) {
            if (!takesDeparted() || !TargetExpression.haveAllBeenThere(standing.state(), targets)) {
                throw new Failure(e.exit(), e.sentence(), "nothing was changed" + TargetNames.hint(client, targets));
            }
        }
    }

    private static void requireMuster(FluxClient client) throws IOException {
        if (!isMuster(client)) {
            throw new Failure(
                    Exit.ERROR,
                    "this is a Flux broker (" + version(client)
                            + "), which does not know --dry-run, --holder, --until or `upgrade`",
                    "nothing was changed");
        }
    }
}
