package io.muster.daemon;

import io.muster.daemon.account.Kind;
import io.muster.daemon.api.Api;
import io.muster.daemon.api.Callers;
import io.muster.daemon.api.WebEvents;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Key;
import io.muster.daemon.config.ListenAddress;
import io.muster.daemon.http.Broadcast;
import io.muster.daemon.http.HttpServer;
import io.muster.daemon.http.Page;
import io.muster.daemon.http.Probes;
import io.muster.daemon.http.Site;
import io.muster.daemon.metrics.Meter;
import io.muster.daemon.net.Gate;
import io.muster.daemon.service.Backend;
import io.muster.daemon.tls.Handshakes;
import io.muster.daemon.token.Tokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The sockets that speak HTTP. They serve the API, except for {@code muster.metrics}, which serves metrics and probes only.
 */
final class Web implements Configurable, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /** The highest number of connections to a socket of the API, most of which may follow events. */
    private static final int MOST_CONNECTIONS = 2048;

    private static final int MOST_PROBES = 64;

    private final Threads threads;
    private final Gate gate;
    private final Probes probes;
    private final Telemetry telemetry;
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
    private @Nullable String url;
    private volatile @Nullable Broadcast events;
    private @Nullable Api api;
    private Consumer<String> refused = reason -> {};

    Web(Threads threads, Gate gate, Probes probes, Telemetry telemetry) {
        this.threads = threads;
        this.gate = gate;
        this.probes = probes;
        this.telemetry = telemetry;
        telemetry.metrics().gauge(Meter.EVENT_READERS, this::readers);
    }

    /** Returns whether the configuration has an address for the API. */
    private static boolean isForApi(ListenAddress address) {
        return address.kind() != ListenAddress.Kind.TLS;
    }

    /** Prepares the API if the configuration has an address for it. Nothing listens yet. */
    void prepare(Config config, Core core, Backend backend, Tokens tokens) throws Exception {
        if (config.addresses().stream().noneMatch(Web::isForApi)) {
            return;
        }
        tokens.look();
        threads.everyOnWorker(Tokens.EVERY_SECONDS, tokens::look);
        refused = backend.answers().queries().meters()::refused;
        Broadcast broadcast = threads.onCore(() -> {
            Broadcast fresh = new Broadcast(
                    threads.network(),
                    config.storage().journalMax(),
                    core.inventory().seq());
            WebEvents.start(core.inventory(), core.streams().journals().recent(), fresh);
            return fresh;
        });
        events = broadcast;
        api = new Api(
                new Callers(gate.admissions(), gate.accounts(), tokens, threads.core()),
                backend,
                probes,
                broadcast,
                new Api.Executors(threads.core(), threads.api()),
                telemetry::served);
    }

    /** Opens the sockets of the API. */
    void listen(Config config, Handshakes handshakes) throws IOException {
        @Nullable Site site = api == null ? null : new Page(api);
        for (ListenAddress address : config.addresses()) {
            if (site != null && isForApi(address)) {
                HttpServer server = start(address, site, handshakes);
                servers.add(server);
                log.info("listening {}", address);
                boolean isBetter = url == null || address.kind() == ListenAddress.Kind.HTTPS;
                if (server.isTcp() && isBetter) {
                    url = address.kind().word() + "://" + host(server.address());
                }
            }
        }
    }

    /** Returns the address of the page for browsers, without a slash at its end; null if there is none. TLS works on other hosts, too. */
    @Nullable
    String url() {
        return url;
    }

    private static String host(InetSocketAddress address) throws IOException {
        InetAddress ip = address.getAddress();
        String name = ip.isAnyLocalAddress() ? InetAddress.getLocalHost().getCanonicalHostName() : ip.getHostAddress();
        return (name.contains(":") ? "[" + name + "]" : name) + ":" + address.getPort();
    }

    private HttpServer start(ListenAddress address, Site site, Handshakes handshakes) throws IOException {
        HttpServer.Terms terms = new HttpServer.Terms(site, MOST_CONNECTIONS, HttpServer.DEADLINE, gate.accounts());
        if (address.kind() == ListenAddress.Kind.HTTPS) {
            return HttpServer.start(handshakes, address, this::refused, terms);
        }
        if (address.kind() == ListenAddress.Kind.HTTP) {
            return HttpServer.start(threads.network(), address.inet(), terms);
        }
        Path path = Path.of(address.address());
        Path directory = path.getParent();
        if (directory != null) {
            gate.makeDirectory(directory);
        }
        return HttpServer.start(threads.network(), path, gate::mode, terms);
    }

    private void refused(String address, String reason, String sentence) {
        threads.core().execute(() -> {
            refused.accept(reason);
            if (!sentence.isEmpty()
                    && gate.accounts().account(Kind.STRANGER, address).mayLog()) {
                log.info("refused {} on https: {}", address, sentence);
            }
        });
    }

    /** Opens the socket for metrics and probes. A port that is in use prevents the start only if the configuration names that port. */
    void listenForProbes(Config config) throws IOException {
        Optional<InetSocketAddress> address = config.reporting().metrics();
        if (address.isEmpty()) {
            return;
        }
        boolean isDefault = config.effective().of(Key.METRICS).isDefault();
        try {
            Site site = probes.rendering(threads.metrics());
            HttpServer.Terms terms = new HttpServer.Terms(site, MOST_PROBES, HttpServer.DEADLINE, gate.accounts());
            HttpServer server = HttpServer.start(threads.network(), address.get(), terms);
            servers.add(server);
            log.atLevel(isDefault ? Level.DEBUG : Level.INFO)
                    .log("metrics address={}", HttpServer.shown(server.address()));
        } catch (IOException e) {
            if (!isDefault) {
                throw e;
            }
            log.warn(
                    "there are no metrics, because the default address is in use; set muster.metrics: {}",
                    e.getMessage());
        }
    }

    int readers() {
        Broadcast broadcast = events;
        return broadcast == null ? 0 : broadcast.size();
    }

    /** Returns the addresses of the TCP sockets, with the actual ports. */
    List<InetSocketAddress> addresses() {
        return servers.stream()
                .filter(HttpServer::isTcp)
                .map(HttpServer::address)
                .toList();
    }

    /** Returns why clients cannot connect by the name of a socket; "" if connecting works. May block. */
    String fault() {
        return servers.stream()
                .map(HttpServer::fault)
                .filter(fault -> !fault.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Sets the modes of the UNIX sockets by the admission in force. Must not be called on the core thread. */
    @Override
    public void configure(Config next) throws IOException {
        for (HttpServer server : servers) {
            server.mode(gate::mode);
        }
    }

    /** Accepts no further connections, and ends the streams of events. Requests that are being served get their responses. */
    @Override
    public void close() {
        servers.forEach(HttpServer::close);
        Broadcast broadcast = events;
        if (broadcast != null) {
            broadcast.end();
        }
    }
}
