package io.muster.bench;

import io.muster.cli.terminal.Pause;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.HttpListener;
import io.muster.measure.Samples;
import io.muster.protocol.testing.Pki;
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

    private final DaemonProcess daemon;
    private final TlsPeers peers;
    private final Changes changes;
    private final int count;

    private NetworkBenchmark(DaemonProcess daemon, TlsPeers peers, Changes changes, int count) {
        this.daemon = daemon;
        this.peers = peers;
        this.changes = changes;
        this.count = count;
    }

    public static void main(String[] args) throws Exception {
        Path directory = Files.createDirectories(Path.of(args[0]).toAbsolutePath());
        Pki pki = Pki.in(directory.resolve("pki"));
        int port = HttpListener.freePort();
        String tls = pki.config("san = \"ops.example.org\"\nrights = [\"read\", \"acquire\"]")
                .replace("127.0.0.1:0", "127.0.0.1:" + port);
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                        directory,
                        "acquire = \"shared\"",
                        DaemonProcess.Setup.nodes("node[0-" + (RANKS - 1) + "]"),
                        tls)
                .jvm(options(args));
        // Netty warns if a connection whose handshake was aborted does not accept the last bytes.
        try (DaemonProcess daemon = setup.start().expect("Last write attempt timed out");
                TlsPeers peers = new TlsPeers(pki, port);
                Changes changes = new Changes(daemon.socket(), RANKS)) {
            new NetworkBenchmark(daemon, peers, changes, Integer.parseInt(args[1])).measure(Integer.parseInt(args[2]));
        }
    }

    /** Returns the options of the launcher, then those on the command line. */
    private static String[] options(String[] args) {
        List<String> options = new ArrayList<>(List.of(
                "-XX:+UseSerialGC", "-Xms16m", "-Xmx1g", "-XX:MaxTenuringThreshold=1", "-XX:MetaspaceSize=64m"));
        options.addAll(Arrays.asList(args).subList(LEAST_ARGS, args.length));
        return options.toArray(String[]::new);
    }

    private void measure(int perSecond) throws IOException, InterruptedException {
        System.out.println(
                "| | changes/s | answered, p50, p99 | arrived in streams, p50, p99 | memory | |\n|---|---|---|---|---|---|");
        changes.run(4 * SINGLE, nanos -> nanos < QUIET);
        row("no connections in TLS", changes.run(SINGLE, nanos -> nanos < QUIET), null, "");
        for (int i = 1; i <= BURSTS; i++) {
            if (i > 1) {
                peers.disconnect();
                Pause.of(SETTLE_MILLIS);
            }
            burst(i);
        }
        Pause.of(SETTLE_MILLIS);
        row(count + " connections that send nothing", changes.run(SINGLE, nanos -> nanos < QUIET), null, "");
        Samples arrivals = new Samples(1 << 20);
        long start = System.nanoTime();
        CountDownLatch first = peers.acquire(changes::since, arrivals);
        first.await();
        double took = (System.nanoTime() - start) / 1e9;
        Pause.of(SETTLE_MILLIS);
        Changes.Result result = changes.run(perSecond, nanos -> nanos < LOAD);
        Pause.of(SETTLE_MILLIS);
        row(
                count + " streams",
                result,
                arrivals,
                String.format(
                        Locale.ROOT,
                        "first responses after %.1f s, then %.0f responses/s in each stream",
                        took,
                        peers.updates() * 1e9 / result.nanos() / peers.readers()));
    }

    private void burst(int number) throws IOException, InterruptedException {
        int before = peers.failures();
        long start = System.nanoTime();
        CountDownLatch missing = peers.connect(count);
        Changes.Result result = changes.run(SINGLE, nanos -> missing.getCount() > 0);
        String took = String.format(
                Locale.ROOT,
                "all connected after %.1f s, %d failed and were made again",
                (System.nanoTime() - start) / 1e9,
                peers.failures() - before);
        row("while " + count + " connect, burst " + number, result, null, took);
    }

    private void row(String what, Changes.Result result, @Nullable Samples arrivals, String more) throws IOException {
        System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %s | %s | %d MB | %s |%n",
                what,
                result.rate(),
                times(result.answers()),
                arrivals == null ? "" : times(arrivals),
                daemon.residentMegabytes(),
                more);
    }

    private static String times(Samples samples) {
        return String.format(Locale.ROOT, "%.2f, %.2f ms", samples.median(), samples.quantile(0.99));
    }
}
