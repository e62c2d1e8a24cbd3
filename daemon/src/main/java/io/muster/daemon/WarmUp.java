package io.muster.daemon;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Logging;
import io.muster.daemon.metrics.Metrics;
import io.muster.daemon.service.Tracer;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exercises the code of the daemon right after the start, because a JVM runs code slowly at first. A scratch daemon in the same process,
 * on a directory in memory and with hosts that do not exist, serves requests of a client of its own. Its log lines are dropped and its
 * metrics are not shown. The start does not wait for it: compiling what a change needs takes about a second of both processors.
 */
final class WarmUp {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /** Time for which the scratch daemon serves requests; afterwards another second changes little. */
    private static final long EXERCISE = TimeUnit.SECONDS.toNanos(1);

    /** Time that a stop waits for the end of the exercise at most. */
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "muster-warm-up-";
    private static final Duration STALE = Duration.ofMinutes(1);

    private final Environment environment;
    private final BooleanSupplier busy;
    private final ThreadGroup group = new ThreadGroup("warm-up"); // the threads that its threads start are in it too
    private final Thread thread = new Thread(group, this::run, "warm-up");
    private volatile boolean ended;

    /** @param busy whether the daemon has something better to do, which ends the warm-up */
    WarmUp(Environment environment, BooleanSupplier busy) {
        this.environment = environment;
        this.busy = busy;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Ends the exercise. Waits for a moment, so that the scratch directory is removed before the process ends. */
    void end() {
        ended = true;
        try {
            thread.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The threads of the scratch daemon; only their log lines are dropped. */
    ThreadGroup group() {
        return group;
    }

    private void run() {
        try {
            exercise(MEMORY);
        } catch (Exception | LinkageError e) { // LinkageError: a library cannot be opened when file descriptors run out
            log.debug("there was no warm-up in {}", MEMORY, e);
        }
    }

    /** @return how many requests were answered */
    int exercise(Path place) throws Exception {
        removeStale(place);
        Path scratch = Files.createTempDirectory(place, PREFIX);
        Closeable silence = Logging.silence(group);
        try {
            return serve(scratch);
        } finally {
            silence.close();
            remove(scratch);
        }
    }

    private int serve(Path scratch) throws Exception {
        Path socket = scratch.resolve("s");
        String server = "[muster]\nsocket = \"" + socket + "\"\nstate-dir = \"" + scratch.resolve("state")
                + "\"\nmetrics = \"off\"\n";
        Path file = Files.writeString(
                scratch.resolve("muster.toml"),
                server + "[[resource.config]]\nhosts = \"warm[0-63]\"\ncores = \"0-3\"\n");
        Telemetry telemetry = new Telemetry(new Metrics("", ""));
        Daemon daemon = Daemon.start(Config.load(file, environment), environment, telemetry, Tracer.OFF);
        try (Client scheduler = new Client(socket);
                Client admin = new Client(socket)) {
            scheduler.send("resource.acquire", null, Header.STREAMING);
            long until = System.nanoTime() + EXERCISE;
            int round = 0;
            do {
                exercise(admin, round++);
                scheduler.skip();
            } while (System.nanoTime() < until && !ended && !busy.getAsBoolean());
            return admin.answered;
        } finally {
            daemon.stop();
            telemetry.close();
        }
    }

    /** One request at a time at first, as most come; then many at once, so that more of them fit into the time. */
    private static void exercise(Client admin, int round) throws IOException {
        int changes = Math.min(1 + round / 16, 32);
        for (int i = 0; i < changes; i++) {
            int rank = (round + i) % 64;
            admin.send("resource.drain", "{\"targets\":\"" + rank + "\",\"reason\":\"warm-up " + i + "\"}", 0);
            if (i % 2 == round % 2) {
                admin.send("resource.undrain", "{\"targets\":\"" + rank + "\"}", 0);
            }
        }
        admin.awaitAnswers();
        admin.send("resource.undrain", "{\"targets\":\"0-63\",\"mode\":\"update\"}", 0);
        admin.send("resource.status", null, 0);
        admin.awaitAnswers();
    }

    /** What a daemon has left behind that was killed meanwhile. What another user owns is not touched: it may be a trap. */
    private void removeStale(Path place) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(place, PREFIX + "*")) {
            for (Path scratch : found) {
                Map<String, Object> is = Files.readAttributes(scratch, "unix:uid,lastModifiedTime", NOFOLLOW_LINKS);
                boolean ours = is.get("uid") instanceof Integer uid && uid == environment.uid();
                boolean old = is.get("lastModifiedTime") instanceof FileTime time
                        && time.toInstant().isBefore(Instant.now().minus(STALE));
                if (ours && old) {
                    remove(scratch);
                }
            }
        }
    }

    /** Links are not followed. */
    private static void remove(Path scratch) throws IOException {
        try (Stream<Path> files = Files.walk(scratch)) {
            for (Path path : (Iterable<Path>) files.sorted((a, b) -> b.compareTo(a))::iterator) {
                Files.delete(path);
            }
        }
    }

    /** A peer, as simple as one can be. */
    private static final class Client implements Closeable {
        private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        private final FrameEncoder encoder = FrameEncoder.of(Dialect.DEPLOYED);
        private final FrameDecoder decoder = new FrameDecoder(1 << 20);
        private final ByteBuffer in = ByteBuffer.allocateDirect(1 << 16);
        private int sent;
        private int answered;

        Client(Path socket) throws IOException {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.read(ByteBuffer.allocate(1)); // the handshake
        }

        void send(String topic, @Nullable String json, int flags) throws IOException {
            sent++;
            ByteBuffer frame = encoder.encode(Request.of(topic, json == null ? null : Bytes.text(json), flags, sent));
            while (frame.hasRemaining()) {
                channel.write(frame);
            }
        }

        void awaitAnswers() throws IOException {
            while (answered < sent) {
                if (read() < 0) {
                    throw new EOFException("the scratch daemon has closed the connection");
                }
            }
        }

        /** Reads what is there. */
        void skip() throws IOException {
            channel.configureBlocking(false);
            int count;
            do {
                count = read();
            } while (count > 0);
        }

        private int read() throws IOException {
            int count = channel.read(in.clear());
            in.flip();
            while (in.hasRemaining()) {
                if (decoder.feed(in) instanceof Response response) {
                    answered++;
                    if (response.errnum() != 0) {
                        throw new IOException("the scratch daemon refuses a request: " + response.payload());
                    }
                }
            }
            return count;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
