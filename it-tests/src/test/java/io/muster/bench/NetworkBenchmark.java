package io.muster.bench;

import io.muster.cli.terminal.Pause;
import io.muster.it.harness.DaemonProcess;
import io.muster.measure.Samples;
import io.muster.protocol.testing.Pki;
import io.muster.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long changes take on a daemon's UNIX socket while many peers connect in TLS, and while each of them follows the changes.
 * The floor is the same burst of connections to another daemon on the same machine, which shares nothing but the processors.
 * Prints a table. {@code java -cp ... io.muster.bench.NetworkBenchmark DIRECTORY 2000 1000}: an empty directory on the disk that is to be
 * measured, the number of connections, that of changes a second, and then options for the daemon's JVM. The peers are in the process that measures, on the same machine.
 */
public final class NetworkBenchmark {
    private static final int RANKS = 16_384;
    /** Changes a second while only their time is measured. */
    private static final int SINGLE = 500;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long QUIET = 10 * SECOND;
    private static final long LOAD = 10 * SECOND;
    private static final int BURSTS = 3;
    private static final long SETTLE_MILLIS = 3000;
    private static final int LEAST_ARGS = 3;
    /** Netty warns if a connection whose handshake was aborted does not accept the last bytes. */
    private static final String GIVEN_UP = "Last write attempt timed out";

    private final DaemonProcess daemon;
    private final Changes changes;
    private final int count;

    private NetworkBenchmark(DaemonProcess daemon, Changes changes, int count) {
        this.daemon = daemon;
        this.changes = changes;
        this.count = count;
    }

    public static void main(String[] args) throws Exception {
        Path directory = Files.createDirectories(Path.of(args[0]).toAbsolutePath());
        Pki pki = Pki.in(directory.resolve("pki"));
        int port = Ports.free();
        int otherPort = Ports.free();
        try (DaemonProcess daemon = setup(directory.resolve("measured"), pki, port, args)
                        .start()
                        .expect(GIVEN_UP);
                Changes changes = new Changes(daemon.socket(), RANKS)) {
            NetworkBenchmark benchmark = new NetworkBenchmark(daemon, changes, Integer.parseInt(args[1]));
            benchmark.quiet();
            try (DaemonProcess other = setup(directory.resolve("other"), pki, otherPort, args)
                            .start()
                            .expect(GIVEN_UP);
                    TlsPeers peers = new TlsPeers(pki, otherPort)) {
                benchmark.bursts(other, peers, " to another daemon");
            }
            try (TlsPeers peers = new TlsPeers(pki, port)) {
                benchmark.bursts(daemon, peers, "");
                benchmark.streams(peers, Integer.parseInt(args[2]));
            }
        }
    }

    private static DaemonProcess.Setup setup(Path directory, Pki pki, int port, String... args) throws IOException {
        String tls = pki.config("san = \"ops.example.org\"\nrights = [\"read\", \"acquire\"]")
                .replace("127.0.0.1:0", "127.0.0.1:" + port);
        return DaemonProcess.Setup.in(
                        Files.createDirectories(directory),
                        "acquire = \"shared\"",
                        DaemonProcess.Setup.nodes("node[0-" + (RANKS - 1) + "]"),
                        tls)
                .jvm(options(args, LEAST_ARGS));
    }

    /** Returns the options of the launcher, then those on the command line after the first {@code least} words. */
    static String[] options(String[] args, int least) {
        List<String> options = new ArrayList<>(List.of(
                "-XX:+UseSerialGC", "-Xms16m", "-Xmx1g", "-XX:MaxTenuringThreshold=1", "-XX:MetaspaceSize=64m"));
        options.addAll(Arrays.asList(args).subList(least, args.length));
        return options.toArray(String[]::new);
    }

    private void quiet() throws IOException {
        System.out.println(
                "| | changes/s | answered, p50, p99 | arrived in streams, p50, p99 | memory | |\n|---|---|---|---|---|---|");
        changes.run(4 * SINGLE, nanos -> nanos < QUIET);
        row(daemon, "no connections in TLS", changes.run(SINGLE, nanos -> nanos < QUIET), null, "");
    }

    /** @param server the daemon to which the peers connect */
    private void bursts(DaemonProcess server, TlsPeers peers, String where) throws IOException, InterruptedException {
        for (int i = 1; i <= BURSTS; i++) {
            if (i > 1) {
                peers.disconnect();
                Pause.of(SETTLE_MILLIS);
            }
            burst(server, peers, where + ", burst " + i);
        }
        Pause.of(SETTLE_MILLIS);
    }

    private void streams(TlsPeers peers, int perSecond) throws IOException, InterruptedException {
        row(daemon, count + " connections that send nothing", changes.run(SINGLE, nanos -> nanos < QUIET), null, "");
        Samples arrivals = new Samples(1 << 20);
        long start = System.nanoTime();
        CountDownLatch first = peers.acquire(changes::since, arrivals);
        first.await();
        double took = (System.nanoTime() - start) / 1e9;
        Pause.of(SETTLE_MILLIS);
        Changes.Result result = changes.run(perSecond, nanos -> nanos < LOAD);
        Pause.of(SETTLE_MILLIS);
        row(
                daemon,
                count + " streams",
                result,
                arrivals,
                String.format(
                        Locale.ROOT,
                        "first responses after %.1f s, then %.0f responses/s in each stream",
                        took,
                        peers.updates() * 1e9 / result.nanos() / peers.readers()));
    }

    private void burst(DaemonProcess server, TlsPeers peers, String which) throws IOException, InterruptedException {
        int before = peers.failures();
        long start = System.nanoTime();
        CountDownLatch missing = peers.connect(count);
        Changes.Result result = changes.run(SINGLE, nanos -> missing.getCount() > 0);
        String took = String.format(
                Locale.ROOT,
                "all connected after %.1f s, %d failed and were made again",
                (System.nanoTime() - start) / 1e9,
                peers.failures() - before);
        row(server, "while " + count + " connect" + which, result, null, took);
    }

    /** @param server the daemon whose memory is printed */
    private static void row(
            DaemonProcess server, String what, Changes.Result result, @Nullable Samples arrivals, String more)
            throws IOException {
        System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %s | %s | %d MB | %s |%n",
                what,
                result.rate(),
                times(result.answers()),
                arrivals == null ? "" : times(arrivals),
                server.residentMegabytes(),
                more);
    }

    private static String times(Samples samples) {
        return String.format(Locale.ROOT, "%.2f, %.2f ms", samples.median(), samples.quantile(0.99));
    }
}
