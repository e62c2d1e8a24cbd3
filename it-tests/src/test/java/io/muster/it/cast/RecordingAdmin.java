package io.muster.it.cast;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.admin.StatusAnswer;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An admin that drains and undrains, accepts refusals, and records every change that was answered. */
public final class RecordingAdmin implements AutoCloseable {
    public static final int RANKS = 64;

    private final FluxClient client;
    private final SortedMap<Integer, String> promised;
    private final String padding;
    private int number;

    private RecordingAdmin(FluxClient client, SortedMap<Integer, String> promised, String padding) {
        this.client = client;
        this.promised = promised;
        this.padding = padding;
    }

    /** @param length of each reason; long reasons fill a disk sooner */
    public static RecordingAdmin at(DaemonProcess daemon, int length) throws IOException {
        return at(daemon.connect(), length);
    }

    public static RecordingAdmin at(FluxClient client, int length) {
        return new RecordingAdmin(client, new TreeMap<>(), "x".repeat(length));
    }

    /** This admin, with its record, connected to a daemon that was started again. */
    public RecordingAdmin at(DaemonProcess next) throws IOException {
        return new RecordingAdmin(next.connect(), promised, padding);
    }

    public static String resources() {
        return DaemonProcess.Setup.nodes("node[0-" + (RANKS - 1) + "]");
    }

    /** Drains one rank after the other, again and again. Returns why a drain was refused, or null. */
    public @Nullable RpcException write() throws IOException {
        int rank = number % RANKS;
        String reason = number++ + padding;
        try {
            client.rpc("resource.drain", drain(rank, reason));
            promise(rank, reason);
            return null;
        } catch (RpcException refused) {
            return refused;
        }
    }

    /** Undrains the rank that {@link #write()} drained half a round ago, if it is still drained. */
    public void erase() throws IOException {
        int rank = (number + RANKS / 2) % RANKS;
        if (promised.containsKey(rank)) {
            client.rpc(
                    "resource.undrain", JsonNodeFactory.instance.objectNode().put("targets", Integer.toString(rank)));
            promised.remove(rank);
        }
    }

    public static ObjectNode drain(int rank, String reason) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("targets", Integer.toString(rank))
                .put("reason", reason)
                .put("mode", "force-overwrite");
    }

    /** Records a change that was answered, possibly to another admin. */
    public void promise(int rank, String reason) {
        promised.put(rank, reason);
    }

    public void write(int times) throws IOException {
        for (int i = 0; i < times; i++) {
            assertThat(write()).as("refusal").isNull();
        }
    }

    public RpcException writeUntilRefused() throws IOException {
        RpcException refused = write();
        while (refused == null) {
            assertThat(number).as("changes without a refusal").isLessThan(100_000);
            refused = write();
        }
        return refused;
    }

    public int number() {
        return number;
    }

    /** Checks that the daemon holds all changes that were answered, and none that was refused. Ignores ranks of other admins. */
    public void check() throws IOException {
        SortedMap<Integer, String> found = new TreeMap<>();
        StatusAnswer.parse(client.rpc("resource.status", null))
                .drain()
                .forEach((reason, ranks) -> ranks.forEach(rank -> found.put(rank, reason.reason())));
        assertThat(found.headMap(RANKS)).isEqualTo(promised);
    }

    public Idset up() {
        return up(RANKS);
    }

    /**
     * The ranks that must be up.
     *
     * @param ranks number of ranks in the inventory, the first of which are this admin's
     */
    public Idset up(int ranks) {
        Idset.Builder drained = Idset.builder();
        promised.keySet().forEach(drained::add);
        return Idset.range(0, ranks - 1).subtract(drained.build());
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
