package io.muster.daemon.cli.bench;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What no daemon can be faster than here: one append of a journal line made durable, and one exchange over a UNIX socket
 * with another thread. In milliseconds, medians.
 */
record Floor(double sync, double exchange) {
    private static final int RUNS = 500;
    private static final int LINE = 250;
    private static final int MESSAGE = 120;

    /** @param directory on the disk that the state directory is on */
    static Floor measure(Path directory) throws IOException {
        return new Floor(sync(directory.resolve("floor.log")), exchange(directory.resolve("floor.sock")));
    }

    double change() {
        return sync + exchange;
    }

    private static double sync(Path file) throws IOException {
        Samples samples = new Samples(RUNS);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            for (int i = 0; i < RUNS; i++) {
                long start = System.nanoTime();
                channel.write(ByteBuffer.allocate(LINE), channel.size());
                channel.force(false);
                samples.add(System.nanoTime() - start);
            }
        }
        return samples.median();
    }

    private static double exchange(Path path) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            Thread echo = new Thread(() -> echo(server), "echo");
            echo.start();
            try (SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                client.connect(UnixDomainSocketAddress.of(path));
                return exchange(client);
            }
        } finally {
            Files.deleteIfExists(path);
        }
    }

    private static double exchange(SocketChannel client) throws IOException {
        Samples samples = new Samples(RUNS);
        ByteBuffer message = ByteBuffer.allocate(MESSAGE);
        for (int i = 0; i < RUNS; i++) {
            long start = System.nanoTime();
            client.write(message.clear());
            message.clear();
            while (message.hasRemaining() && client.read(message) >= 0) {}
            samples.add(System.nanoTime() - start);
        }
        return samples.median();
    }

    private static void echo(ServerSocketChannel server) {
        ByteBuffer message = ByteBuffer.allocate(MESSAGE);
        try (SocketChannel peer = server.accept()) {
            while (peer.read(message.clear()) >= 0) {
                peer.write(message.flip());
            }
        } catch (IOException e) {
            // The client has what it came for, and closed.
            return;
        }
    }
}
