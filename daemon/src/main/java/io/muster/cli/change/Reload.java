package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.SourceFile;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.graph.Agreement;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.admin.Get;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.admin.RequestId;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
            description = "Change nothing. Show which hosts would be added, leave, and change their rank.")
    private boolean dryRun;

    public Reload(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        if (dryRun) {
            ResourceSet next = Agreement.require(ResourceSet.parse(SourceFile.read(file)));
            ResourceSet present = Get.parse(client.rpc("resource.get", null)).resources();
            refuse(client, present, next);
            preview(present, next);
            return Exit.OK;
        }
        String path = file.toAbsolutePath().normalize().toString();
        ObjectNode request = new ReloadRequest(path, false, force).toJson();
        RequestId.give(request, RandomId.next());
        return once(client, connected -> make(connected, request));
    }

    private int make(FluxClient client, ObjectNode request) throws IOException {
        ObjectNode answer;
        try {
            answer = client.rpc(ReloadRequest.TOPIC, request);
        } catch (RpcException e) {
            throw Failure.of(
                    e,
                    e.errno().equals(Errno.EBUSY)
                            ? "nothing was changed; stop the scheduler, reload, and start it again"
                            : "nothing was changed");
        }
        if (json()) {
            console().json(Change.done(answer));
        }
        return Exit.OK;
    }

    /** Shows what the daemon would do. This is computed in this process, so that the daemon need not read the file. */
    private void preview(ResourceSet present, ResourceSet next) {
        Remap remap = Remap.between(present, next);
        if (json()) {
            console()
                    .json(JsonNodeFactory.instance
                            .objectNode()
                            .put("schema_version", SCHEMA_VERSION)
                            .put("dry_run", true)
                            .put("nnodes", next.nodes())
                            .put("added", remap.added().toString())
                            .put("left", remap.vanished().toString())
                            .put("moved", remap.moved().toString()));
            return;
        }
        console().println("would define " + next.nodes() + (next.nodes() == 1 ? " rank" : " ranks"));
        tell("new", remap.added());
        tell("left the inventory; their holds are kept until they return", remap.vanished());
        tell("moved to another rank", remap.moved());
        console().print("no scheduler is connected\n");
    }

    /** Refuses an R that the daemon would refuse, because the connected scheduler cannot be sent all of it. */
    private static void refuse(FluxClient client, ResourceSet present, ResourceSet next) throws IOException {
        ObjectNode question = JsonNodeFactory.instance.objectNode();
        JsonNode schedulers = StateDocument.ask(client, StateDocument.SERVICE, question)
                .json()
                .path("schedulers");
        List<String> untold =
                schedulers.isEmpty() ? List.of() : Remap.between(present, next).untold();
        if (!untold.isEmpty()) {
            throw new Failure(
                    Exit.CONFLICT,
                    "resources are acquired by "
                            + schedulers.path(0).path("name").asText() + ", which cannot be sent "
                            + String.join("; ", untold),
                    "nothing was changed; stop the scheduler, reload, and start it again");
        }
    }

    private void tell(String what, Hostlist hosts) {
        if (!hosts.isEmpty()) {
            console().println(console().cutHosts("  " + what + ": ", hosts.toString()));
        }
    }
}
