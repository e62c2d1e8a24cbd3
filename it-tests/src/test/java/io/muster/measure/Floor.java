package io.muster.measure;

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
 * Lower bounds for any daemon on this machine: making an append of journal lines durable, and exchanging messages over a UNIX socket with
 * another thread. Medians in milliseconds.
 *
 * @param sync for one line
 * @param exchange for one message
 * @param bulk for as many lines and messages as are in flight when changes are pipelined
 */
record Floor(double sync, double exchange, double bulk) {
    private static final int RUNS = 500;
    private static final int BULK_RUNS = 20;
    private static final int WARM_UP = 5000;
    private static final int LINE = 250;
    private static final int MESSAGE = 120;
    /** Bytes that every socket can hold. */
    private static final int PART = 1 << 16;

    /** @param directory a directory on the disk of the state directory */
    static Floor measure(Path directory) throws IOException {
        Path log = directory.resolve("floor.log");
        Path socket = directory.resolve("floor.sock");
        double bulk =
                sync(log, BULK_RUNS, Measure.WINDOW * LINE) + exchange(socket, BULK_RUNS, Measure.WINDOW * MESSAGE);
        return new Floor(sync(log, RUNS, LINE), exchange(socket, RUNS, MESSAGE), bulk);
    }

    double change() {
        return sync + exchange;
    }

    /** Changes per second. */
    double pipelined() {
        return Measure.WINDOW / (bulk / 1000);
    }

    private static double sync(Path file, int runs, int size) throws IOException {
        Samples samples = new Samples(runs);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            for (int i = 0; i < runs; i++) {
                long start = System.nanoTime();
                channel.write(ByteBuffer.allocate(size), channel.size());
                channel.force(false);
                samples.add(System.nanoTime() - start);
            }
        }
        return samples.median();
    }

    private static double exchange(Path path, int runs, int size) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            Thread echo = new Thread(() -> echo(server), "echo");
            echo.start();
            try (SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                client.connect(UnixDomainSocketAddress.of(path));
                return exchange(client, runs, size);
            }
        } finally {
            Files.deleteIfExists(path);
        }
    }

    /** Measures exchanges after a warm-up, like the measurements that are compared with this floor. */
    private static double exchange(SocketChannel client, int runs, int size) throws IOException {
        Samples samples = new Samples(runs);
        ByteBuffer part = ByteBuffer.allocate(Math.min(size, PART));
        for (int i = -WARM_UP * MESSAGE / size; i < runs; i++) {
            long start = System.nanoTime();
            for (int remaining = size; remaining > 0; remaining -= part.capacity()) {
                client.write(part.clear().limit(Math.min(remaining, part.capacity())));
                part.flip();
                while (part.hasRemaining() && client.read(part) >= 0) {}
            }
            if (i >= 0) {
                samples.add(System.nanoTime() - start);
            }
        }
        return samples.median();
    }

    private static void echo(ServerSocketChannel server) {
        ByteBuffer message = ByteBuffer.allocate(PART);
        try (SocketChannel peer = server.accept()) {
            while (peer.read(message.clear()) >= 0) {
                peer.write(message.flip());
            }
        } catch (IOException e) {
            // The client has closed the connection after its last exchange.
            return;
        }
    }
}
