package io.muster.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A relay between the command and a daemon that replaces each {@link #PLACE} in the answers of the daemon with another text of the same
 * length.
 */
final class Liar implements AutoCloseable {
    static final String PLACE = "ZZZZZZZZZZZZZZ";

    private final Path daemon;
    private final Path path;
    private final byte[] lie;
    private final ServerSocketChannel listener;
    private final List<SocketChannel> open = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger lies = new AtomicInteger();

    private Liar(Path daemon, Path path, String lie) throws IOException {
        this.daemon = daemon;
        this.path = path;
        this.lie = lie.getBytes(UTF_8);
        if (this.lie.length != PLACE.length()) {
            throw new IllegalArgumentException("a lie has " + PLACE.length() + " bytes, not " + this.lie.length);
        }
        this.listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
    }

    static Liar start(Path daemon, Path path, String lie) throws IOException {
        Liar liar = new Liar(daemon, path, lie);
        liar.run(liar::accept);
        return liar;
    }

    String uri() {
        return "local://" + path;
    }

    int lies() {
        return lies.get();
    }

    private interface Work {
        void run() throws IOException;
    }

    private synchronized void run(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException closed) {
                return; // closed by either side, or by the end of the test
            }
        });
        threads.add(thread);
        thread.start();
    }

    private synchronized SocketChannel keep(SocketChannel channel) {
        open.add(channel);
        return channel;
    }

    private void accept() throws IOException {
        while (true) {
            SocketChannel client = keep(listener.accept());
            SocketChannel server = keep(SocketChannel.open(UnixDomainSocketAddress.of(daemon)));
            run(() -> relay(client, server, false));
            run(() -> relay(server, client, true));
        }
    }

    private void relay(SocketChannel from, SocketChannel to, boolean lying) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
        try (from;
                to) {
            while (from.read(buffer) >= 0) {
                int held = lying ? lie(buffer) : 0;
                int end = buffer.position();
                buffer.limit(end - held).position(0);
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.limit(end);
                buffer.compact();
            }
        }
    }

    /** @return the number of bytes at the end of the buffer that may be the beginning of a {@link #PLACE} */
    private int lie(ByteBuffer buffer) {
        int run = 0;
        for (int i = 0; i < buffer.position(); i++) {
            run = buffer.get(i) == 'Z' ? run + 1 : 0;
            if (run == PLACE.length()) {
                buffer.put(i + 1 - run, lie);
                lies.incrementAndGet();
                run = 0;
            }
        }
        return run;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        synchronized (this) {
            for (SocketChannel channel : open) {
                channel.close();
            }
        }
    }
}
