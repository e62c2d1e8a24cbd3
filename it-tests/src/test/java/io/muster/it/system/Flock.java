package io.muster.it.system;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.it.harness.Peer;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Very many schedulers in one thread, each with its own connection. */
final class Flock extends Thread {
    private final Selector selector = Selector.open();
    private final List<Member> members = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    private Flock() throws IOException {
        super("flock");
    }

    /** One of the schedulers; used by the flock's thread only. */
    static final class Member {
        private final SocketChannel channel;
        private final FrameDecoder decoder = new FrameDecoder(1 << 30);
        private boolean welcomed;
        private volatile @Nullable Follower follower;
        private final AtomicLong responses = new AtomicLong();

        Member(SocketChannel channel) {
            this.channel = channel;
        }

        private void take(ByteBuffer bytes) throws IOException {
            if (!welcomed && bytes.hasRemaining()) {
                welcomed = true;
                if (bytes.get() != 0) {
                    throw new IOException("a scheduler was turned away");
                }
            }
            for (Message message = decoder.feed(bytes); message != null; message = decoder.feed(bytes)) {
                if (message instanceof Response response) {
                    told(response);
                }
            }
        }

        private void told(Response response) throws IOException {
            if (response.errnum() != 0) {
                throw new IOException("a stream ended: " + response);
            }
            ObjectNode payload = Json.parse(Objects.requireNonNull(response.payload()));
            Follower model = follower;
            if (model == null) {
                follower = new Follower(payload);
            } else {
                model.update(payload);
            }
            responses.incrementAndGet();
        }

        @Nullable
        Follower follower() {
            return follower;
        }

        long responses() {
            return responses.get();
        }
    }

    /** Lets a number of schedulers acquire, and follows their updates. */
    static Flock of(int size, Path socket) throws IOException {
        Flock flock = new Flock();
        for (int i = 0; i < size; i++) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(Peer.frame(Peer.acquire(1)));
            Member member = new Member(channel);
            flock.members.add(member);
            channel.configureBlocking(false);
            channel.register(flock.selector, SelectionKey.OP_READ, member);
        }
        flock.start();
        return flock;
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                selector.select(key -> read((Member) key.attachment()));
            }
        } catch (IOException | RuntimeException | AssertionError e) {
            failure = e;
        }
    }

    private void read(Member member) {
        try {
            buffer.clear();
            if (member.channel.read(buffer) < 0) {
                throw new IOException("a scheduler's connection was closed");
            }
            member.take(buffer.flip());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What was wrong with an update; null if nothing was. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** The number of schedulers that know exactly these ranks to be up. */
    long whoKnow(Idset up) {
        return members.stream()
                .map(Member::follower)
                .filter(follower -> follower != null && follower.up().equals(up))
                .count();
    }

    long responses() {
        return members.stream().mapToLong(Member::responses).sum();
    }

    void close() throws IOException, InterruptedException {
        stopping = true;
        selector.wakeup();
        join();
        for (Member member : members) {
            member.channel.close();
        }
        selector.close();
    }
}
