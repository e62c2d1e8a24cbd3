package io.muster.it.cast;

import io.muster.inventory.idset.Idset;
import io.muster.it.harness.Peer;
import io.muster.protocol.testing.SchedulerModel;
import io.muster.protocol.wire.FrameDecoder;
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
import org.jspecify.annotations.Nullable;

/** Very many schedulers in one thread, each with its own connection. */
public final class ManySchedulers extends Thread {
    private final Selector selector = Selector.open();
    private final List<Member> members = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    private ManySchedulers() throws IOException {
        super("schedulers");
    }

    /** A scheduler; the thread of this class reads its channel. */
    private static final class Member {
        private final SocketChannel channel;
        private final FrameDecoder decoder = new FrameDecoder(1 << 30);
        private final SchedulerModel knowledge = new SchedulerModel();
        private boolean welcomed;

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
                    if (response.errnum() != 0) {
                        throw new IOException("a stream ended: " + response);
                    }
                    knowledge.receive(Objects.requireNonNull(response.payload()));
                }
            }
        }
    }

    /** Connects a number of schedulers, which acquire, and receives their updates. */
    public static ManySchedulers of(int size, Path socket) throws IOException {
        ManySchedulers schedulers = new ManySchedulers();
        for (int i = 0; i < size; i++) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(Peer.frame(Peer.acquire(1)));
            Member member = new Member(channel);
            schedulers.members.add(member);
            channel.configureBlocking(false);
            channel.register(schedulers.selector, SelectionKey.OP_READ, member);
        }
        schedulers.start();
        return schedulers;
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

    /** The fault of an update; null if all updates were correct. */
    public @Nullable Throwable failure() {
        return failure;
    }

    /** The number of schedulers that know exactly these ranks to be up. */
    public long whoKnow(Idset up) {
        return members.stream()
                .map(member -> member.knowledge)
                .filter(knowledge -> knowledge.responses() > 0 && knowledge.up().equals(up))
                .count();
    }

    public long responses() {
        return members.stream()
                .mapToLong(member -> member.knowledge.responses())
                .sum();
    }

    public void close() throws IOException, InterruptedException {
        stopping = true;
        selector.wakeup();
        join();
        for (Member member : members) {
            member.channel.close();
        }
        selector.close();
    }
}
