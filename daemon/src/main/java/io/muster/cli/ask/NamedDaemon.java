package io.muster.cli.ask;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.SourceFile;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The daemon that {@code --uri} or MUSTER_URI names, for a verb that uses files of a daemon without asking it. The verb must not use
 * the files of another daemon.
 */
public final class NamedDaemon {
    private final ServerOptions server;
    private final Console console;

    public NamedDaemon(ServerOptions server, Console console) {
        this.server = server;
        this.console = console;
    }

    /**
     * Compares the state directory that a configuration of this host names with that of the daemon, or of one of the daemons if the
     * user named several. A daemon that does not answer is the right one if its URI is the socket of the configuration.
     *
     * @param advice what the user can do
     * @throws Failure if the daemon uses another directory, or does not say which
     */
    public void require(Config config, String advice) throws IOException {
        if (!server.isGiven(console)) {
            return;
        }
        Path directory = config.storage().stateDir();
        String host = Environment.ofProcess().hostname();
        List<String> others = new ArrayList<>();
        int exit = Exit.UNREACHABLE;
        for (String uri : server.address(console.environment()).split(",")) {
            try (FluxClient client = server.connect(uri, console)) {
                Path used = Path.of(ServerVerb.attribute(client, "statedir"));
                String there = ServerVerb.attribute(client, "hostname");
                String pid = ServerVerb.attribute(client, "broker.pid");
                if (isSame(used, directory) && holds(directory, "pid " + pid + " on " + there, there.equals(host))) {
                    return;
                }
                exit = Exit.CONFLICT;
                others.add("the daemon at " + uri + " uses " + used + " on " + there);
            } catch (RpcException e) {
                exit = Exit.CONFLICT;
                others.add("the server at " + uri + " names no state directory: " + e.sentence());
            } catch (IOException e) {
                if (isListening(config, uri)) {
                    return;
                }
                others.add(SourceFile.sentence(e));
            }
        }
        throw new Failure(
                exit,
                String.join("; ", others) + "; this command would use " + directory + " on " + host
                        + " without asking it",
                advice);
    }

    private static boolean isSame(Path used, Path directory) throws IOException {
        return used.equals(directory.toAbsolutePath().normalize())
                || (Files.exists(used) && Files.exists(directory) && Files.isSameFile(used, directory));
    }

    /**
     * Whether the lock file names the process of the daemon. A daemon in another container has another host name and may use the same
     * directory, or another directory of the same name.
     */
    private static boolean holds(Path directory, String process, boolean isHere) throws IOException {
        Path lock = directory.resolve("lock");
        if (Files.isReadable(lock)) {
            return Files.readString(lock).startsWith(process + " since ");
        }
        return isHere && !Files.isReadable(directory); // opening the directory fails later
    }

    private static boolean isListening(Config config, String uri) {
        return uri.equals("local://" + config.listen().socket())
                || uri.equals("local://" + Objects.toString(config.listen().adminSocket(), ""));
    }
}
