package io.muster.daemon.cli.change;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Failure;
import io.muster.daemon.cli.console.ServerVerb;
import io.muster.protocol.admin.ReloadRequest;
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
        description = "Have the daemon read its resources anew from a file with R.",
        footer = {
            "",
            "Holds and exclusions follow the host names, whatever their ranks become. Not while a scheduler holds the"
                    + " resources: RFC 28 cannot tell it of new ranks.",
            "The daemon reads the file. For the configuration: `systemctl reload muster`."
        })
public final class Reload extends ServerVerb {
    @Parameters(index = "0", paramLabel = "FILE", description = "R as JSON, RFC 20.")
    private Path file = Path.of("");

    @Option(
            names = {"-f", "--force"},
            description = "Taken for flux's sake; a broker then accepts more ranks than it has brokers.")
    private boolean force;

    public Reload(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        String path = file.toAbsolutePath().normalize().toString();
        ReloadRequest request = new ReloadRequest(path, false, force);
        try {
            client.rpc(ReloadRequest.TOPIC, request.toJson());
        } catch (RpcException e) {
            throw Failure.of(
                    e,
                    e.errno().equals(Errno.EBUSY)
                            ? "nothing was changed; stop the scheduler, reload, and start it again"
                            : "nothing was changed");
        }
        if (json()) {
            console().json(Change.done());
        }
        return Exit.OK;
    }
}
