package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.metrics.Metrics;
import io.muster.daemon.net.TlsSocket;
import io.muster.daemon.service.Tracer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

/** A whole daemon in this process, with a socket and a state directory in the directory of a test. */
public final class RunningDaemon implements AutoCloseable {
    /** The name of the host of the daemon. */
    public static final String HOST = Environment.ofProcess().hostname();

    private final Path directory;
    private final Telemetry telemetry;
    private final Daemon daemon;
    private boolean stopped;

    private RunningDaemon(Path directory, Telemetry telemetry, Daemon daemon) {
        this.directory = directory;
        this.telemetry = telemetry;
        this.daemon = daemon;
    }

    /** @param resources TOML to add to the configuration after the socket and the state directory */
    public static RunningDaemon start(Path directory, String resources) throws Exception {
        return start(directory, resources, uid());
    }

    /** Starts a daemon with the given clock. */
    public static RunningDaemon start(Path directory, String resources, WallClock clock) throws Exception {
        return start(directory, resources, uid(), clock, HOST);
    }

    /** Starts a daemon that names its host as given, as a daemon in a container does. */
    public static RunningDaemon start(Path directory, String resources, String host) throws Exception {
        return start(directory, resources, uid(), clock(), host);
    }

    /** @param owner the uid of the owner; if it is not the uid of this process, this process is a guest */
    public static RunningDaemon start(Path directory, String resources, int owner) throws Exception {
        return start(directory, resources, owner, clock(), HOST);
    }

    private static RunningDaemon start(Path directory, String resources, int owner, WallClock clock, String host)
            throws Exception {
        Environment environment = new Environment(Map.of(), owner, directory, host, 2);
        Config config = Config.load(write(directory, resources), environment);
        Telemetry telemetry = new Telemetry(new Metrics("1", "test"));
        Daemon daemon = Daemon.start(config, environment, telemetry, Tracer.OFF, clock);
        return new RunningDaemon(directory, telemetry, daemon);
    }

    private static Path write(Path directory, String resources) throws IOException {
        return Files.writeString(
                directory.resolve("muster.toml"),
                "[muster]\nsocket = \"s\"\nstate-dir = \"state\"\nmetrics = \"off\"\n" + resources);
    }

    /** Applies a new configuration, as SIGHUP does. */
    public void reconfigure(String resources) throws IOException {
        Path file = write(directory, resources);
        if (!daemon.reload(new Config.Source(file, null, null)).reload()) {
            throw new IllegalStateException("the configuration was not reloaded");
        }
    }

    /** Returns the clock of this machine with limits that never doubt it. */
    static WallClock clock() {
        double any = Double.POSITIVE_INFINITY;
        return new WallClock(InstantSource.system(), System::nanoTime, new WallClock.Limits(any, any, any));
    }

    /** Applies a configuration in another file, as SIGHUP does. @return whether the configuration was put in force */
    public boolean hangup(String resources) throws IOException {
        Path file = directory.resolve("next.toml");
        Files.writeString(file, resources);
        return daemon.reload(new Config.Source(file, null, null)).reload();
    }

    public static int uid() throws IOException {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    public String uri() {
        return "local://" + directory.resolve("s");
    }

    /** Returns the URI of the TLS listener. */
    public String tls() {
        return "tls://localhost:" + port();
    }

    public int port() {
        return daemon.sockets.stream()
                .filter(TlsSocket.class::isInstance)
                .mapToInt(socket -> ((TlsSocket) socket).port())
                .findFirst()
                .orElseThrow();
    }

    /** Returns the port of the only listener for HTTP over TCP. */
    public int httpPort() {
        return daemon.web.addresses().get(0).getPort();
    }

    /** Reads certificates again if their files have changed, as a timer does. */
    public void lookAgain() {
        daemon.certificates.lookAgain();
    }

    /** Reads the tokens again, as a timer does every two seconds. */
    public void readTokens() throws Exception {
        daemon.threads.worker().submit(daemon.tokens::look).get();
    }

    public String metrics() {
        return telemetry.metrics().scrape();
    }

    public Path configFile() {
        return directory.resolve("muster.toml");
    }

    public Path stateDir() {
        return directory.resolve("state");
    }

    @Override
    public void close() {
        if (!stopped) {
            stopped = true;
            daemon.stop();
            telemetry.close();
        }
    }
}
