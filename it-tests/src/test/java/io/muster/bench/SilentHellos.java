package io.muster.bench;

import io.muster.cli.terminal.Pause;
import io.muster.it.harness.DaemonProcess;
import io.muster.measure.Samples;
import io.muster.protocol.testing.Pki;
import io.muster.protocol.tls.ClientFiles;
import io.muster.protocol.tls.Proof;
import io.muster.testing.Ports;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long peers wait for their welcome while one address begins handshakes and does not continue them.
 * {@code java -cp ... io.muster.bench.SilentHellos DIRECTORY 25 50 100}: an empty directory, and the numbers of such handshakes a second,
 * for which the daemon is measured one after the other. One peer after the other connects from the same address, and at the same time
 * one after the other from another address.
 */
public final class SilentHellos {
    private static final String ATTACKER = "127.0.0.1";
    private static final String OTHER = "127.0.0.2";
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long LOAD = 15 * SECOND;
    private static final long BETWEEN_MILLIS = 200;
    private static final int PATIENCE_MILLIS = 60_000;
    private static final long SETTLE_MILLIS = 5000;
    private static final long STEP_MILLIS = 5;
    /** The longest time for a handshake, and two seconds. */
    private static final long REST_MILLIS = 12_000;

    private final SSLContext context;
    private final int port;
    private volatile boolean over;

    private SilentHellos(SSLContext context, int port) {
        this.context = context;
        this.port = port;
    }

    public static void main(String[] args) throws Exception {
        Path directory = Files.createDirectories(Path.of(args[0]).toAbsolutePath());
        Pki pki = Pki.in(directory.resolve("pki"));
        ClientFiles files = pki.client("ops");
        SSLContext context = Proof.read(files.certificate(), files.key())
                .context(InsecureTrustManagerFactory.INSTANCE.getTrustManagers()[0]);
        int port = Ports.free();
        String tls = pki.config("san = \"ops.example.org\"\nrights = [\"read\"]")
                .replace("127.0.0.1:0", ATTACKER + ":" + port);
        System.out.println(
                "| silent handshakes/s | peers | welcomed | failed | p50 | p99 | longest |\n|---|---|---|---|---|---|---|");
        try (DaemonProcess daemon = DaemonProcess.Setup.in(
                        Files.createDirectories(directory.resolve("daemon")),
                        DaemonProcess.Setup.nodes("node[0-15]"),
                        tls)
                .jvm(NetworkBenchmark.options(args, args.length))
                .start()
                .expect(".")) {
            new SilentHellos(context, port).measure(0);
            for (String rate : List.of(args).subList(1, args.length)) {
                new SilentHellos(context, port).measure(Integer.parseInt(rate));
                Pause.of(REST_MILLIS);
            }
            System.out.println(daemon.residentMegabytes() + " MB");
        }
    }

    private void measure(int rate) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Future<?> attack = threads.submit(() -> attack(rate));
            Pause.of(rate == 0 ? 0 : SETTLE_MILLIS);
            List<Future<String>> rows =
                    List.of(threads.submit(() -> peers(rate, ATTACKER)), threads.submit(() -> peers(rate, OTHER)));
            for (Future<String> row : rows) {
                System.out.println(row.get());
            }
            over = true;
            attack.get();
        } finally {
            threads.shutdownNow();
        }
    }

    private @Nullable Void attack(int rate) throws IOException {
        Deque<Socket> kept = new ArrayDeque<>();
        long start = System.nanoTime();
        while (!over) {
            long due = (System.nanoTime() - start) * rate / SECOND;
            for (long sent = kept.size(); sent < due; sent++) {
                kept.add(hello());
            }
            Pause.of(STEP_MILLIS);
        }
        for (Socket each : kept) {
            each.close();
        }
        return null;
    }

    /** Opens a connection that sends only the first message of a valid handshake. */
    private Socket hello() throws IOException {
        Socket socket = connect(ATTACKER);
        socket.getOutputStream().write(message());
        return socket;
    }

    private byte[] message() throws SSLException {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        hello.flip();
        byte[] bytes = new byte[hello.remaining()];
        hello.get(bytes);
        return bytes;
    }

    private Socket connect(String from) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString(from), 0));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
        return socket;
    }

    private String peers(int rate, String from) throws IOException {
        Samples samples = new Samples(1 << 16);
        int welcomed = 0;
        int failed = 0;
        long end = System.nanoTime() + LOAD;
        for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
            try (Socket plain = connect(from);
                    SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(plain, ATTACKER, -1, true)) {
                tls.setSoTimeout(PATIENCE_MILLIS);
                if (tls.getInputStream().read() == 0) {
                    welcomed++;
                } else {
                    failed++;
                }
            } catch (IOException e) {
                failed++;
            }
            samples.add(System.nanoTime() - start);
            Pause.of(BETWEEN_MILLIS);
        }
        return String.format(
                Locale.ROOT,
                "| %d | %s | %d | %d | %.3f s | %.3f s | %.3f s |",
                rate,
                from.equals(ATTACKER) ? "same address" : "another address",
                welcomed,
                failed,
                samples.median() / 1000,
                samples.quantile(0.99) / 1000,
                samples.quantile(1) / 1000);
    }
}
