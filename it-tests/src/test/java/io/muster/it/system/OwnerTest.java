package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** An acquisition with an owner, while connections and daemons end and start. */
@Timeout(600)
class OwnerTest {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /** The stream stays open until its connection ends: closing it would cancel the acquisition. */
    private static ResponseStream acquire(FluxClient client, Owner owner) throws IOException {
        return client.stream("resource.acquire", owner.toJson());
    }

    private static void assertBusy(FluxClient rival, String sentence) {
        assertThatThrownBy(() -> rival.stream("resource.acquire", null).hasNext())
                .isInstanceOfSatisfying(
                        RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageContaining(sentence);
    }

    private static ObjectNode object(String key, String value) {
        return JsonNodeFactory.instance.objectNode().put(key, value);
    }

    private static JsonNode scheduler(FluxClient client) throws IOException {
        ObjectNode answer = client.rpc("resource.state", null);
        assertThat(answer.path("schedulers")).hasSize(1);
        return answer.path("schedulers").get(0);
    }

    @Test
    void anotherSchedulerCannotAcquireDuringARestartOfTheDaemon() throws Exception {
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-3]"));
        Owner flux = new Owner("flux", 3600);
        try (DaemonProcess daemon = setup.start();
                FluxClient client = daemon.connect()) {
            assertThat(acquire(client, flux).next().path("up").asText()).isEqualTo("0-3");
            daemon.kill();
        }
        for (int round = 0; round < 2; round++) {
            try (DaemonProcess daemon = setup.start();
                    FluxClient rival = daemon.connect();
                    FluxClient client = daemon.connect()) {
                assertThat(scheduler(rival).path("owner").asText()).isEqualTo("flux");
                assertThat(scheduler(rival).path("until").isTextual()).isTrue();
                assertBusy(rival, "resources are held for flux, ");
                assertBusy(rival, "`muster acquire release flux` ends this");
                rival.rpc("resource.drain", object("targets", Integer.toString(round)));
                ObjectNode first = acquire(client, flux).next();
                assertThat(first.path("up").asText()).isEqualTo(round == 0 ? "1-3" : "2-3");
                assertThat(scheduler(rival).path("until").isTextual()).isFalse();
                assertBusy(rival, "resources are acquired by flux, ");
                daemon.stop();
            }
        }
    }

    @Test
    void aNewRIsHeldBackForAnOwnerThatAcquiredBeforeTheDaemonWasKilled() throws Exception {
        Owner flux = new Owner("flux", 3600);
        try (DaemonProcess daemon = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-3]"))
                        .start();
                FluxClient client = daemon.connect()) {
            acquire(client, flux).next();
            daemon.kill();
        }
        try (DaemonProcess daemon = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-2,7]"))
                        .start()
                        .expect("hosts (left|new in) the inventory", "these parts of the new R wait");
                FluxClient client = daemon.connect();
                FluxClient admin = daemon.connect()) {
            assertThat(hosts(acquire(client, flux).next())).isEqualTo("node[0-3]");
            assertThat(admin.rpc("resource.state", null).path("waiting")).isNotEmpty();
            admin.rpc("resource.acquire-release", object("owner", "flux"));
            try (ResponseStream other = admin.stream("resource.acquire", null)) {
                assertThat(hosts(other.next())).isEqualTo("node[0-2,7]");
            }
            assertThat(admin.rpc("resource.state", null).path("waiting")).isEmpty();
            daemon.stop();
        }
    }

    private static String hosts(JsonNode response) {
        return response.at("/resources/execution/nodelist/0").asText();
    }

    @Test
    void anySchedulerMayAcquireAfterARelease() throws Exception {
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-3]"));
        try (DaemonProcess daemon = setup.start();
                FluxClient client = daemon.connect();
                FluxClient admin = daemon.connect()) {
            ResponseStream stream = acquire(client, new Owner("flux", 3600));
            stream.next();
            admin.rpc("resource.acquire-release", object("owner", "flux"));
            assertThatThrownBy(stream::hasNext).hasMessageContaining("the acquisition of flux was released");
            try (ResponseStream other = admin.stream("resource.acquire", null)) {
                assertThat(other.next().path("up").asText()).isEqualTo("0-3");
            }
            assertThatThrownBy(() -> admin.rpc("resource.acquire-release", JsonNodeFactory.instance.objectNode()))
                    .hasMessageContaining("no acquisition has an owner: nothing can be released");
            daemon.stop();
        }
    }
}
