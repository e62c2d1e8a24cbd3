package io.muster.cli.follow;

import io.muster.cli.ask.ServerOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.protocol.client.LocalServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code muster relay}. libflux runs {@code FLUX_SSH_RCMD relay PATH} through ssh for the URI ssh://HOST/PATH. The bytes are
 * those of the socket, and the kernel tells the daemon which user runs the relay.
 */
@Command(
        name = "relay",
        description = {
            "Pass standard input and output to the daemon's socket, for programs on other hosts that connect through ssh.",
            "People do not call this verb: `muster --uri=ssh://HOST` and libflux do. libflux finds it if "
                    + "FLUX_SSH_RCMD=muster is set."
        },
        footer = {"  muster relay --stdio", "  muster relay /run/muster/muster.sock"})
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

    public Relay(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
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
