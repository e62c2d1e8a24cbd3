package io.muster.daemon;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Logging;
import io.muster.daemon.metrics.Metrics;
import io.muster.daemon.service.Tracer;
import io.muster.protocol.wire.Header;
import java.io.Closeable;
import java.io.IOException;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exercises the code of the daemon right after the start, because a JVM runs code slowly at first. A scratch daemon in the
 * same process, on a directory in memory and with hosts that do not exist, serves the requests of a client in this class.
 * The log lines of the scratch daemon are dropped, and its metrics are not shown. The start does not wait for the warm-up:
 * compiling the code for changes takes about a second of both processors.
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

    /** @param busy whether the daemon needs the processors, which ends the warm-up */
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
        Environment own = new Environment( // without the variables by which the scratch daemon would report to systemd
                Map.of(), environment.uid(), environment.home(), environment.hostname(), environment.cores());
        Telemetry telemetry = new Telemetry(new Metrics("", ""));
        Daemon daemon = Daemon.start(Config.load(file, own), own, telemetry, Tracer.OFF);
        try (ScratchClient scheduler = new ScratchClient(socket);
                ScratchClient admin = new ScratchClient(socket)) {
            scheduler.send("resource.acquire", null, Header.STREAMING);
            long until = System.nanoTime() + EXERCISE;
            int round = 0;
            do {
                admin.change(round++);
                scheduler.skip();
            } while (System.nanoTime() < until && !ended && !busy.getAsBoolean());
            return admin.answered();
        } finally {
            daemon.stop();
            telemetry.close();
        }
    }

    /** Removes the directories of daemons that were killed. A directory of another user may be a trap and is not touched. */
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
}
