package io.muster.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command whose connection breaks after the change and before the answer. */
class LostAnswerTest extends VerbTest {
    @TempDir
    private Path place;

    LostAnswerTest() {
        super("[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n");
    }

    @Test
    void aChangeWhoseAnswerWasLostIsSentAgainAndIsOneChange() throws Exception {
        Path path = place.resolve("relay");
        Thread relay;
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path));
            relay = new Thread(() -> relay(listener, daemon.uri().substring("local://".length())));
            relay.start();
            Result result = new Shell().with("MUSTER_URI", "local://" + path).run("drain", "node1", "bad", "dimm");
            assertThat(result.err())
                    .startsWith("muster: ")
                    .endsWith("; connecting again to send the change once more, with the same id\n");
            assertThat(result.exit()).isEqualTo(Exit.OK);
        }
        relay.join();
        assertThat(out("eventlog", "--json").lines().filter(line -> line.contains("\"drain\"")))
                .hasSize(1);
    }

    /** Passes everything on, but loses the answer to the first drain and breaks its connection. */
    private static void relay(ServerSocketChannel listener, String daemon) {
        boolean lost = false;
        while (true) {
            try (SocketChannel command = listener.accept();
                    SocketChannel server = SocketChannel.open(UnixDomainSocketAddress.of(daemon))) {
                Thread answers = new Thread(() -> pass(server, command));
                if (lost) {
                    answers.start();
                    pass(command, server);
                    server.shutdownInput();
                    answers.join();
                } else {
                    loseOne(command, server);
                    lost = true;
                }
            } catch (IOException | InterruptedException ended) {
                return;
            }
        }
    }

    /** Passes requests on, and the answer to each but to a drain. The command asks one question at a time. */
    private static void loseOne(SocketChannel command, SocketChannel server) throws IOException {
        copy(server, command); // the welcome
        boolean drain = false;
        while (!drain) {
            drain = copy(command, server).contains("resource.drain");
            if (drain) {
                server.read(ByteBuffer.allocate(1 << 16)); // the change is made
            } else {
                copy(server, command);
            }
        }
    }

    private static String copy(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        if (from.read(buffer) < 0) {
            throw new IOException("closed");
        }
        buffer.flip();
        String text = ISO_8859_1.decode(buffer.duplicate()).toString();
        while (buffer.hasRemaining()) {
            to.write(buffer);
        }
        return text;
    }

    /** Passes on everything until a side closes. */
    private static void pass(SocketChannel from, SocketChannel to) {
        try {
            while (from.isOpen()) {
                copy(from, to);
            }
        } catch (IOException closed) {
            return;
        }
    }
}
