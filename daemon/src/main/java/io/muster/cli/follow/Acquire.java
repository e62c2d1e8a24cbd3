package io.muster.cli.follow;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Pause;
import io.muster.inventory.axis.Acquisition;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster acquire}. */
@Command(
        name = "acquire",
        description = {
            "Acquire the resources as a scheduler does (RFC 28), and print each response as it arrives, one JSON "
                    + "object per line.",
            "With acquire = \"exclusive\" in the configuration, no scheduler can acquire while this command "
                    + "runs. Interrupt the command to release the resources."
        },
        footer = {"  muster acquire --count=1", "  muster acquire --wait"})
public final class Acquire extends ServerVerb {
    private static final long PAUSE_MILLIS = 500;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            description = "Stop after this many responses.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = "--owner",
            paramLabel = "NAME",
            description = "Keep the acquisition when this connection ends. The same NAME takes it up again.")
    private @Nullable String owner;

    @Option(
            names = "--grace",
            paramLabel = "SECONDS",
            description = "With --owner: how long the acquisition waits without a connection. Default: 60.")
    private double grace = Acquisition.DEFAULT_GRACE;

    @Option(names = "--wait", description = "Wait while another scheduler holds the resources.")
    private boolean wait;

    public Acquire(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        console().endWithReader();
        boolean held = print(client);
        while (!held) {
            Pause.of(PAUSE_MILLIS);
            held = print(client);
        }
        return Exit.OK;
    }

    private @Nullable ObjectNode payload() {
        return owner == null ? null : new Owner(owner, grace).toJson();
    }

    /**
     * Acquires the resources and prints the responses.
     *
     * @return false if another scheduler holds the resources and {@code --wait} is given
     */
    private boolean print(FluxClient client) throws IOException {
        long printed = 0;
        try (ResponseStream stream = client.stream("resource.acquire", payload())) {
            while (printed < count && stream.hasNext()) {
                printDocument(stream.next());
                console().flush();
                printed++;
            }
            return true;
        } catch (RpcException e) {
            if (e.errno().equals(Errno.EBUSY) && printed == 0 && wait) {
                return false;
            }
            throw Failure.of(e, e.errno().equals(Errno.EBUSY) ? "--wait waits until the resources are free" : "");
        }
    }
}
