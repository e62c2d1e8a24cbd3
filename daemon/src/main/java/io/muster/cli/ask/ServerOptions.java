package io.muster.cli.ask;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.When;
import io.muster.daemon.config.ClientConfig;
import io.muster.daemon.config.Environment;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.tls.ClientFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options that choose the daemon to which a verb connects. FLUX_URI is ignored: inside a job it names the broker of the
 * job, but a user that drains a node intends the cluster's daemon. A user that intends the broker of the job gives {@code
 * --uri "$FLUX_URI"}.
 */
public final class ServerOptions {
    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(30);

    private static final Path OF_THE_SYSTEM = Path.of("/run/muster/muster.sock");

    @Option(
            names = "--uri",
            paramLabel = "URI",
            description =
                    "Connect to the daemon at this socket, a path or local:///path, or on another host: through ssh, "
                            + "ssh://[USER@]HOST[/path], or with the certificate that ~/.config/muster/client.toml names, "
                            + "tls://HOST[:PORT]. Several URIs with commas between them are tried in order. Default: "
                            + "$$MUSTER_URI; else the socket of your own daemon if it exists, "
                            + "$$XDG_RUNTIME_DIR/muster/muster.sock or, without XDG_RUNTIME_DIR, "
                            + "~/.local/state/muster/muster.sock; else /run/muster/muster.sock.")
    private @Nullable String uri;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            description = "Wait this long for an answer: seconds, or 500ms, 2m. 0 waits without limit. Default: 30.")
    private @Nullable String timeout;

    @Option(
            names = "--trace-wire",
            description = "Print every message on standard error, one per line. Messages contain no secrets.")
    private boolean traceWire;

    public FluxClient connect(Console console) throws IOException {
        return connect(address(console.environment()), console);
    }

    FluxClient connect(String address, Console console) throws IOException {
        return connect(address, console, options -> FluxClient.connect(address, options));
    }

    /** Connects to a server if it accepts the connection within this time. */
    FluxClient connect(String address, Duration patience, Console console) throws IOException {
        return connect(address, console, options -> FluxClient.connect(address, options, patience));
    }

    @FunctionalInterface
    private interface Connector {
        FluxClient connect(Options options) throws IOException;
    }

    private FluxClient connect(String address, Console console, Connector connector) throws IOException {
        Options options = Options.DEFAULT.withTimeout(timeout()).withTrace(traceWire ? System.err::println : null);
        try {
            return connector.connect(options.with(files(address, console.environment())));
        } catch (IllegalArgumentException e) {
            throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
        } catch (RpcException e) {
            throw e.errno().equals(Errno.EPERM) ? Failure.of(e, Failure.MAY_CONNECT) : e;
        }
    }

    /** Returns whether the user named a server, so that the usual places are not tried. */
    public boolean isGiven(Console console) {
        return uri != null
                || !console.environment().getOrDefault("MUSTER_URI", "").isEmpty();
    }

    Duration timeout() {
        Duration given = givenTimeout();
        return given == null ? USUAL_TIMEOUT : given;
    }

    /** Returns the timeout that the user gave; null if there is none. */
    @Nullable
    Duration givenTimeout() {
        return timeout == null ? null : When.duration(timeout);
    }

    /** Returns the URI of the daemon that the options, MUSTER_URI or the usual places name. */
    public String address(Map<String, String> variables) throws IOException {
        String given = uri != null ? uri : variables.getOrDefault("MUSTER_URI", "");
        if (given.isEmpty()) {
            return "local://" + usual(variables);
        }
        return address(given);
    }

    /** Returns the files that the user's client.toml names, if a server needs them; null if there is no such file. */
    public static @Nullable ClientFiles files(String address, Map<String, String> variables) throws IOException {
        Path file = environment(variables).clientFile();
        if (!address.contains("tls://") || !Files.exists(file)) {
            return null;
        }
        ClientConfig config = ClientConfig.read(file);
        return new ClientFiles(config.certificate(), config.key(), config.ca());
    }

    /** Returns an address as a URI: a URI is returned unchanged, a path is converted. */
    public static String address(String given) {
        return given.contains("://") ? given : "local://" + Path.of(given).toAbsolutePath();
    }

    private static Path usual(Map<String, String> variables) throws IOException {
        Path own = environment(variables).socket();
        return Files.exists(own) || !Files.exists(OF_THE_SYSTEM) ? own : OF_THE_SYSTEM;
    }

    /**
     * Returns the environment of this process, as far as file names depend on it. The number of cores is left out, because
     * only a daemon needs it.
     */
    private static Environment environment(Map<String, String> variables) throws IOException {
        int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        return new Environment(variables, uid, Environment.homeOf(variables, uid), "localhost", 1);
    }
}
