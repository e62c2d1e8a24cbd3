package io.muster.cli.follow;

import io.muster.cli.ask.ServerOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.protocol.client.LocalServer;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.tls.ClientFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code muster relay}. With {@code --listen}, one process serves all users of a host. Otherwise there is one process for
 * each connection: libflux runs {@code FLUX_SSH_RCMD relay PATH} through ssh for the URI ssh://HOST/PATH. The bytes are
 * those of the socket, and the kernel tells the daemon which user runs the relay.
 */
@Command(
        name = "relay",
        description = {
            "Pass standard input and output to the daemon's socket, for programs on other hosts that connect through ssh.",
            "People do not call this verb: `muster --uri=ssh://HOST` and libflux do. libflux finds it if "
                    + "FLUX_SSH_RCMD=muster is set.",
            "With --listen and --to, run until told to stop, and pass the requests of all users of this host to a daemon on "
                    + "another host. The certificate is the one that ~/.config/muster/client.toml names."
        },
        footer = {
            "  muster relay --stdio",
            "  muster relay /run/muster/muster.sock",
            "  muster relay --listen=/run/muster/muster.sock --to=tls://mgmt1,tls://mgmt2"
        })
public final class Relay extends Verb {
    private static final int BUFFER = 64 * 1024;

    @Option(
            names = "--stdio",
            description = "Use standard input and output. A PATH without --stdio, as libflux gives it, means the same.")
    private boolean stdio;

    @Parameters(
            arity = "0..1",
            paramLabel = "PATH",
            description = "Connect to this socket. Default: $$MUSTER_URI; else the socket of your own daemon if it "
                    + "exists; else /run/muster/muster.sock.")
    private @Nullable String path;

    @Option(names = "--listen", paramLabel = "PATH", description = "Listen on this socket for users of this host.")
    private @Nullable Path listen;

    @Option(
            names = "--to",
            paramLabel = "URI",
            description =
                    "With --listen: the daemon, tls://HOST[:PORT]. Several, with commas between them, share a ledger; the relay"
                            + " goes to the one that leads.")
    private @Nullable String to;

    private final Listening listening;

    /** Runs the relay of {@code --listen}. */
    public interface Listening {
        /** @return the exit status, if the relay could not start */
        int run(Path socket, List<TlsServer> servers, ClientFiles files);
    }

    public Relay(Console console, Listening listening) {
        super(console);
        this.listening = listening;
    }

    @Override
    public Integer call() throws IOException {
        if (listen != null || to != null) {
            return listen();
        }
        if (!stdio && path == null) {
            throw new Failure(Exit.USAGE, "--stdio is missing: without it, name the socket");
        }
        String uri = path != null
                ? ServerOptions.address(path)
                : new ServerOptions().address(console().environment());
        try (SocketChannel socket = connect(uri)) {
            Thread requests = new Thread(() -> send(console().in(), socket), "relay-requests");
            requests.setDaemon(true);
            requests.start();
            receive(socket, console().out());
        }
        return Exit.OK;
    }

    private int listen() throws IOException {
        if (listen == null || to == null || stdio || path != null) {
            throw new Failure(Exit.USAGE, "--listen and --to belong together, without --stdio and without PATH");
        }
        List<TlsServer> servers = new ArrayList<>();
        try {
            for (String uri : to.split(",", -1)) {
                servers.add(TlsServer.parse(uri));
            }
        } catch (IllegalArgumentException e) {
            throw new Failure(Exit.USAGE, "--to: " + e.getMessage());
        }
        ClientFiles files = ServerOptions.files(to, console().environment());
        if (files == null) {
            throw new Failure(
                    Exit.USAGE,
                    "--to needs a certificate: name certificate, key and ca in ~/.config/muster/client.toml");
        }
        return listening.run(listen.toAbsolutePath(), servers, files);
    }

    private static SocketChannel connect(String uri) throws IOException {
        try {
            SocketChannel socket = LocalServer.connect(uri);
            socket.configureBlocking(true);
            return socket;
        } catch (IllegalArgumentException e) {
            throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /** Sends requests until the input ends; the daemon then closes the connection. */
    private static void send(InputStream in, SocketChannel socket) {
        byte[] buffer = new byte[BUFFER];
        try {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, count);
                while (bytes.hasRemaining()) {
                    socket.write(bytes);
                }
            }
            socket.shutdownOutput();
        } catch (IOException e) {
            // The connection has ended, and the other direction ends too.
        }
    }

    private static void receive(SocketChannel socket, OutputStream out) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        while (socket.read(buffer) >= 0) {
            out.write(buffer.array(), 0, buffer.position());
            out.flush();
            buffer.clear();
        }
    }
}
