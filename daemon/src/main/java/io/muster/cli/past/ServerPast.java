package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDocument;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;

/** Requests the past from a daemon, which reads it from disk. */
record ServerPast(FluxClient client) implements PastSource {
    @Override
    public Hostlist hosts(String targets) throws IOException {
        return StateDocument.find(client, "targets", targets).hosts();
    }

    /** Waits as long as the daemon reads its journal, but not for a server that answers nothing at all. */
    @Override
    public ObjectNode ask(String topic, ObjectNode question) throws IOException {
        try {
            client.rpc("resource.ping", JsonNodeFactory.instance.objectNode());
            return client.call(topic, question).get(Duration.ZERO);
        } catch (RpcException e) {
            throw StateDocument.refused(e);
        }
    }

    @Override
    public String name() {
        return "the daemon";
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
