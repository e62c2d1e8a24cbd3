package io.muster.cli.ask;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Failure;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import picocli.CommandLine.Option;

/** A verb that shows the state of the inventory. */
public abstract class ReadVerb extends ServerVerb {
    @Option(
            names = "--linearizable",
            description =
                    "Include every change that was answered before this command began. Only the leader of a shared ledger can"
                            + " do this, and asks etcd first. Without this option, a standby may be a moment behind.")
    private boolean linearizable;

    protected ReadVerb(Console console) {
        super(console);
    }

    @Override
    final int begin(FluxClient client) throws IOException {
        return linearizable ? anywhere(client, this::confirmed) : run(client);
    }

    private int confirmed(FluxClient client) throws IOException {
        try {
            client.rpc("resource.confirm", null);
        } catch (RpcException e) {
            throw Failure.of(e, "");
        }
        return run(client);
    }
}
