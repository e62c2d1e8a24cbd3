package io.muster.daemon;

import io.muster.daemon.machine.SimExecutor;
import io.muster.daemon.service.Outbox;
import io.muster.daemon.service.Session;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Response;
import io.netty.channel.ChannelHandler;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection between a relay and a process of a daemon. */
final class SimLink implements Outbox {
    private static final int MOST_FRAME = 1 << 20;
    /** Responses under way, beyond which the socket of the daemon is full. */
    private static final int MOST = 20;

    private final SimLoginHost host;
    private final SimDaemon daemon;
    private final SimDaemon.Run process;
    private final SimExecutor relay;
    private final SimPipe up;
    private final SimPipe down;
    private final FrameDecoder decoder = new FrameDecoder(MOST_FRAME);
    private @Nullable SimWire wire;
    private @Nullable Session session;
    private boolean full;
    /** Whether the daemon has seen the end of the connection. */
    private boolean over;

    SimLink(SimLoginHost host, SimDaemon daemon, SimDaemon.Run process, SimExecutor relay) {
        this.host = host;
        this.daemon = daemon;
        this.process = process;
        this.relay = relay;
        this.up = host.pipe(() -> host.isCut(daemon), daemon);
        this.down = host.pipe(() -> host.isCut(daemon) || daemon.answersLost, daemon);
    }

    void open(ChannelHandler handler) {
        process.whenEnded(this::daemonEnded);
        relay.execute(() -> {
            SimWire made = new SimWire(relay, bytes -> up.send(() -> request(bytes)), () -> up.send(this::endSeen));
            wire = made;
            made.handle(handler);
        });
        process.core().execute(() -> {
            session = process.door().open(this);
            arrive(new byte[] {0});
        });
    }

    private void arrive(byte[] bytes) {
        down.send(() -> {
            onRelay(open -> open.arrive(bytes));
            if (full && down.size() == 1) {
                full = false;
                onCore(Session::resume);
            }
        });
    }

    private void onRelay(Consumer<SimWire> action) {
        relay.execute(() -> {
            SimWire open = wire;
            if (open != null) {
                action.accept(open);
            }
        });
    }

    private void onCore(Consumer<Session> action) {
        process.core().execute(() -> {
            Session open = session;
            if (open != null && !over) {
                action.accept(open);
            }
        });
    }

    /** Bytes of the relay arrive at the daemon's host. */
    private void request(byte[] bytes) {
        if (daemon.process() == process) {
            onCore(open -> {
                ByteBuffer in = ByteBuffer.wrap(bytes);
                try {
                    for (Message next = decoder.feed(in); next != null; next = decoder.feed(in)) {
                        open.receive(next);
                    }
                } catch (ProtocolException e) {
                    throw new AssertionError(e);
                }
            });
        } else if (daemon.isRunning()) { // the host is up again, and does not know the connection
            onRelay(SimWire::end);
        }
    }

    /** The daemon sees the end of the connection. */
    private void endSeen() {
        onCore(open -> {
            over = true;
            open.close();
        });
    }

    /** A firewall forgets the connection: nothing arrives any more, and neither side is told. */
    void forget() {
        up.cut();
        down.cut();
        host.later(15_000, this::endSeen); // keepalive
    }

    boolean isTo(SimDaemon other) {
        return daemon == other;
    }

    private void daemonEnded() {
        if (host.seesEnds()) {
            down.send(() -> onRelay(SimWire::end));
        }
    }

    /** The relay's process has ended. */
    void relayEnded(boolean seen) {
        down.cut();
        if (seen) {
            up.send(this::endSeen);
        } else {
            up.cut();
            host.later(15_000, this::endSeen);
        }
    }

    @Override
    public void send(Response response) {
        full |= down.size() >= MOST;
        arrive(SimWire.encoded(response));
    }

    @Override
    public @Nullable RpcException refusal(@Nullable Bytes payload) {
        return null;
    }

    @Override
    public boolean isWritable() {
        return !full;
    }

    @Override
    public void pending(int change) {}
}
