package io.muster.it.cast;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.relay.RelaySocket;
import io.muster.it.harness.Output;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.testing.Pki;
import io.muster.protocol.testing.SchedulerModel;
import io.muster.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A scheduler on a host without a daemon: it acquires at a relay, which connects to the leader. The scheduler's stream must never end. */
public final class DistantScheduler implements AutoCloseable {
    private static final String NAME = "login1";
    private static final String SAN = NAME + ".example.org";
    private static final String RIGHTS = "rights = [\"follow\", \"acquire\"]";

    private final Path socket;
    private final Pki pki;
    private final List<String> addresses = new ArrayList<>();
    private final AtomicBoolean mayEnd = new AtomicBoolean();
    private @Nullable RelaySocket relay;
    private @Nullable FollowingScheduler scheduler;

    /** @param hosts the address of each daemon's listener */
    public DistantScheduler(Path directory, List<String> hosts) throws IOException {
        socket = Files.createDirectories(directory).resolve("relay");
        pki = Pki.in(directory.resolve("pki"));
        pki.issue(
                "ca",
                "server",
                hosts.stream().distinct().map(host -> "IP:" + host).collect(Collectors.joining(",")));
        pki.issue("ca", NAME, "DNS:" + SAN);
        for (String host : hosts) {
            addresses.add(host + ":" + Ports.free());
        }
    }

    /** TOML of a daemon's listener, and of the rights of the relay and of the user behind it. */
    public String listener(int daemon) {
        return pki.config("san = \"" + SAN + "\"\nrights = [\"follow\", \"acquire\", \"speak-for\"]\nroot = true")
                        .replace("127.0.0.1:0", addresses.get(daemon))
                + "[[grant]]\nwho = [\"" + SAN + "/" + System.getProperty("user.name") + "\"]\n" + RIGHTS;
    }

    /** Starts the relay and the scheduler, and waits for the first response. */
    public void start() throws IOException, InterruptedException {
        List<TlsServer> servers = addresses.stream()
                .map(address -> TlsServer.parse("tls://" + address))
                .toList();
        relay = new RelaySocket(socket, servers, pki.client(NAME), NAME);
        FollowingScheduler started = new FollowingScheduler(
                FluxClient.connect("local://" + socket, Options.DEFAULT.withTimeout(Output.PATIENCE)), mayEnd);
        scheduler = started;
        started.start();
        started.awaitAcquired();
        knowledge();
    }

    /** The knowledge of the scheduler. Fails if the stream has ended or had a wrong response. */
    public SchedulerModel knowledge() {
        FollowingScheduler started = scheduler;
        assertThat(started).as("the scheduler was started").isNotNull();
        assertThat(started.failure())
                .as("the stream of the scheduler behind the relay")
                .isNull();
        assertThat(started.isAlive())
                .as("the stream of the scheduler behind the relay goes on")
                .isTrue();
        return started.knowledge();
    }

    @Override
    public void close() {
        mayEnd.set(true);
        if (relay != null) {
            relay.close();
        }
    }
}
