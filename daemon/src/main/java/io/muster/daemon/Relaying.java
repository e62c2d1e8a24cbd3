package io.muster.daemon;

import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Logging;
import io.muster.daemon.config.SourceFile;
import io.muster.daemon.journal.disk.LockedException;
import io.muster.daemon.relay.RelaySocket;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.tls.ClientFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a relay as a process. The statuses are those of {@link Serving}. */
public final class Relaying {
    private static final Logger log = LoggerFactory.getLogger("relay");

    private static final int LOCKED = 75;

    private Relaying() {}

    /** @return the exit status if the relay could not start; otherwise this does not return, since a signal ends the process */
    public static int run(Path socket, List<TlsServer> servers, ClientFiles files) {
        try (LogPipe logPipe = LogPipe.install(Logging::gap)) {
            return run(socket, servers, files, logPipe);
        }
    }

    private static int run(Path socket, List<TlsServer> servers, ClientFiles files, LogPipe logPipe) {
        Environment environment = Environment.ofProcess();
        try {
            NativeLibrary.place(
                    List.of(Path.of(System.getProperty("java.io.tmpdir", "/tmp")), NativeLibrary.nearest(socket)));
            RelaySocket relay = new RelaySocket(socket, servers, files, environment.hostname());
            SdNotify systemd = SdNotify.open(environment.variables(), relay.loop());
            CountDownLatch stopped = new CountDownLatch(1);
            Runnable stop = () -> {
                relay.close();
                logPipe.close();
                stopped.countDown();
            };
            Runtime.getRuntime().addShutdownHook(new Thread(stop, "stop"));
            systemd.ready("relaying " + socket);
            log.info(
                    "ready socket={} to={}",
                    socket,
                    servers.stream().map(TlsServer::name).toList());
            stopped.await();
            return 0;
        } catch (LockedException e) {
            log.error("{}", e.getMessage());
            return LOCKED;
        } catch (IOException e) {
            log.error("{}", SourceFile.sentence(e));
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }
}
