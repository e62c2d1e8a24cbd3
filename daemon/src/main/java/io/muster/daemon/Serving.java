package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Logging;
import io.muster.daemon.config.SourceFile;
import io.muster.daemon.journal.CorruptException;
import io.muster.daemon.journal.disk.LockedException;
import io.muster.daemon.metrics.Metrics;
import io.muster.daemon.service.Tracer;
import io.muster.daemon.tls.CertificateFiles;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.WireTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daemon as a process, from reading its configuration until it is told to stop. */
public final class Serving {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /** Exit statuses from sysexits.h; systemd units refer to them by number. */
    private static final int UNREADABLE_STATE = 65;

    private static final int INTERNAL = 70;
    private static final int LOCKED = 75;
    private static final int BAD_CONFIG = 78;

    private Serving() {}

    /** @return the exit status if the daemon could not start; otherwise this does not return, since a signal ends the process */
    public static int run(Config.Source source, boolean traceWire) {
        try (LogPipe logPipe = LogPipe.install(Logging::gap)) {
            return run(source, traceWire ? Serving::trace : Tracer.OFF, logPipe);
        }
    }

    private static int run(Config.Source source, Tracer trace, LogPipe logPipe) {
        Environment environment = Environment.ofProcess();
        Hangup hangup = Hangup.listen();
        try {
            Config config = CertificateFiles.checked(source.load(environment));
            Logging.apply(config.reporting().logLevel(), config.reporting().logFormat());
            serve(config, source, environment, hangup, trace, logPipe);
            return 0;
        } catch (InvalidException e) {
            e.problems().forEach(problem -> log.error("{}", problem));
            return BAD_CONFIG;
        } catch (LockedException e) {
            log.error("{}", e.getMessage());
            return LOCKED;
        } catch (CorruptException | Recovered.UnreadableException e) {
            log.error("{}", e.getMessage());
            return UNREADABLE_STATE;
        } catch (IOException e) {
            log.error("{}", SourceFile.sentence(e));
            return 1;
        } catch (Exception | LinkageError e) { // LinkageError comes from Netty's native library
            log.error("the daemon could not start", e);
            return INTERNAL;
        }
    }

    /**
     * Starts the daemon and waits until it has stopped. Once the daemon has started, a shutdown hook stops the daemon in
     * order when the process ends for any reason.
     */
    private static void serve(
            Config config, Config.Source source, Environment environment, Hangup hangup, Tracer trace, LogPipe logPipe)
            throws Exception {
        for (Problem note : config.notes()) {
            log.warn("{}", note);
        }
        config.effective().given().forEach(line -> log.info("config {}", line));
        config.effective().lines().forEach(line -> log.debug("setting {}", line));
        Telemetry telemetry = new Telemetry(new Metrics(Build.version(), Build.revision()));
        NativeLibrary.place(List.of(
                Path.of(System.getProperty("java.io.tmpdir", "/tmp")),
                NativeLibrary.nearest(config.storage().stateDir())));
        Daemon daemon = Daemon.start(config, environment, telemetry, trace);
        CountDownLatch stopped = new CountDownLatch(1);
        Runnable stop = () -> {
            daemon.stop();
            telemetry.close();
            logPipe.close();
            stopped.countDown();
        };
        Runtime.getRuntime().addShutdownHook(new Thread(stop, "stop"));
        daemon.announce(source, hangup);
        stopped.await();
    }

    private static void trace(String peer, char direction, Message message) {
        System.err.println(direction == '<' ? WireTrace.received(peer, message) : WireTrace.sent(peer, message));
    }
}
