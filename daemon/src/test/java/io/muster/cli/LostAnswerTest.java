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

    /** The beginning of the version in the answers that pass the relay. */
    private String versions = "\"muster-";

    LostAnswerTest() {
        super("[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n");
    }

    @Test
    void aChangeWhoseAnswerIsLostIsSentAgainAndMadeOnce() throws Exception {
        Result result = drainThroughRelay();
        assertThat(result.err())
                .startsWith("muster: ")
                .endsWith("; connecting again to send the change once more, with the same id\n");
        assertThat(result.exit()).isEqualTo(Exit.OK);
        assertThat(out("eventlog", "--json").lines().filter(line -> line.contains("\"drain\"")))
                .hasSize(1);
    }

    @Test
    void aChangeIsNotSentAgainToAFluxBroker() throws Exception {
        versions = "\"broker-";
        Result result = drainThroughRelay();
        assertThat(result.err())
                .contains("; the change may have been made or not\n")
                .endsWith(
                        "it was not sent again, because a Flux broker does not know its id: look for it in `muster status`"
                                + " and `muster eventlog`, and repeat the command if it is missing\n");
        assertThat(result.exit()).isEqualTo(Exit.UNREACHABLE);
    }

    /** Drains a host through a relay that drops the first answer. */
    private Result drainThroughRelay() throws Exception {
        Path path = place.resolve("relay");
        Thread relay;
        Result result;
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path));
            relay = new Thread(() -> relay(listener, daemon.uri().substring("local://".length())));
            relay.start();
            result = new Shell().with("MUSTER_URI", "local://" + path).run("drain", "node1", "bad", "dimm");
        }
        relay.join();
        return result;
    }

    /** Relays connections, but drops the answer to the first drain and closes that connection. */
    private void relay(ServerSocketChannel listener, String daemon) {
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

    /** Relays requests and the answer to each request except a drain. The command has one request in flight at a time. */
    private void loseOne(SocketChannel command, SocketChannel server) throws IOException {
        copy(server, command); // the welcome byte
        boolean drain = false;
        while (!drain) {
            drain = copy(command, server).contains("resource.drain");
            if (drain) {
                server.read(ByteBuffer.allocate(1 << 16)); // the daemon has made the change
            } else {
                copy(server, command);
            }
        }
    }

    private String copy(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        if (from.read(buffer) < 0) {
            throw new IOException("closed");
        }
        String text = ISO_8859_1.decode(buffer.flip()).toString().replace("\"muster-", versions);
        ByteBuffer relayed = ISO_8859_1.encode(text);
        while (relayed.hasRemaining()) {
            to.write(relayed);
        }
        return text;
    }

    /** Relays bytes until a side closes. */
    private void pass(SocketChannel from, SocketChannel to) {
        try {
            while (from.isOpen()) {
                copy(from, to);
            }
        } catch (IOException closed) {
            return;
        }
    }
}
