package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.problem.Text;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.admin.RequestId;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster reload}. */
@Command(
        name = "reload",
        description = {
            "Make the daemon replace its resources by the R in a file.",
            "The daemon reads the file, and gives its hosts the properties of the configured queues. The R of the file is in force "
                    + "until the daemon starts again or the R of the configuration changes. To reload the configuration itself, run "
                    + "`systemctl reload muster`.",
            "Holds and exclusions follow the host names, whatever their ranks become. While a scheduler holds the resources, only "
                    + "properties and the expiration may change, because RFC 28 has no update for other changes."
        },
        footer = {"  muster reload --dry-run R.json", "  muster reload R.json"})
public final class Reload extends ServerVerb {
    @Parameters(index = "0", paramLabel = "FILE", description = "A file with R as JSON (RFC 20).")
    private Path file = Path.of("");

    @Option(
            names = {"-f", "--force"},
            description = "Let a Flux broker accept more ranks than it has brokers. Muster ignores this option.")
    private boolean force;

    @Option(
            names = "--dry-run",
            description =
                    "Change nothing. Show which hosts would be added, leave, and change their rank, and how many waiting "
                            + "jobs end.")
    private boolean dryRun;

    public Reload(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        String path = file.toAbsolutePath().normalize().toString();
        if (dryRun) {
            show(ask(client, path));
            return Exit.OK;
        }
        if (console().terminal().canAsk()) {
            String jobs = DryRunText.jobs(ask(client, path));
            if (!jobs.isEmpty()) {
                console().confirm(jobs);
            }
        }
        ObjectNode request = new ReloadRequest(path, false, force).toJson();
        RequestId.give(request, RandomId.next());
        return once(client, connected -> make(connected, request));
    }

    /** Asks the daemon what the reload would do. */
    private static ObjectNode ask(FluxClient client, String path) throws IOException {
        ObjectNode request = JsonNodeFactory.instance.objectNode().put("path", path);
        return send(client, request.put(ReloadRequest.DRY_RUN, true));
    }

    private static ObjectNode send(FluxClient client, ObjectNode request) throws IOException {
        try {
            return client.rpc(ReloadRequest.TOPIC, request);
        } catch (RpcException e) {
            throw Failure.of(
                    e,
                    e.errno().equals(Errno.EBUSY)
                            ? "nothing was changed; stop the scheduler, reload, and start it again"
                            : "nothing was changed");
        }
    }

    private int make(FluxClient client, ObjectNode request) throws IOException {
        ObjectNode answer = send(client, request);
        if (json()) {
            console().json(Change.done(answer));
        } else if (!DryRunText.jobs(answer).isEmpty() && !console().terminal().canAsk()) {
            console().complain(DryRunText.jobs(answer));
        }
        return Exit.OK;
    }

    private void show(ObjectNode answer) {
        if (json()) {
            console().json(DryRunText.document(answer));
            return;
        }
        console().println("would define " + Text.count(answer.path("nnodes").asLong(), "rank"));
        tell("new", answer.path("added"));
        tell("left the inventory; their holds are kept until they return", answer.path("left"));
        tell("moved to another rank", answer.path("moved"));
        String jobs = DryRunText.jobs(answer);
        console().print(jobs.isEmpty() ? "" : jobs + "\n");
    }

    private void tell(String what, JsonNode hosts) {
        if (!hosts.asText().isEmpty()) {
            console().println(console().cutHosts("  " + what + ": ", hosts.asText()));
        }
    }
}
