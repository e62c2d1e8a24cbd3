package io.muster.daemon;

import io.muster.daemon.machine.SimExecutor;
import io.muster.daemon.relay.SimRelay;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A user of a relay, with one connection at a time, which is opened again when it ends. */
abstract class SimUser {
    final SimCluster cluster;
    final SplittableRandom random;
    private final SimLoginHost host;
    private final int uid;
    private @Nullable Connection connection;
    private boolean gone;

    SimUser(SimCluster cluster, SimLoginHost host, int uid) {
        this.cluster = cluster;
        this.host = host;
        this.uid = uid;
        this.random = cluster.simulation().choices().split();
    }

    void start() {
        host.later(random.nextInt(1000), this::connect);
    }

    private void connect() {
        if (gone) {
            return;
        }
        SimRelay to = host.relay();
        if (to == null) {
            start();
        } else {
            connection = new Connection(to);
        }
    }

    /** The relay has accepted the connection. */
    abstract void welcome();

    abstract void receive(Response response);

    /** The connection has ended, and another one is about to begin. */
    abstract void ended();

    void note(String what) {
        cluster.simulation().note(() -> "user" + uid + " " + what);
    }

    void later(long millis, Runnable action) {
        host.later(millis, action);
    }

    void send(Request request) {
        Connection now = connection;
        if (now != null) {
            now.send(request);
        }
    }

    /** Leaves, and comes back. */
    void leave() {
        disconnect();
    }

    private void disconnect() {
        Connection now = connection;
        if (now != null) {
            now.close();
            relayEnded();
        }
    }

    /** Disconnects, and does not come back. */
    void leaveForGood() {
        gone = true;
        disconnect();
    }

    boolean isGone() {
        return gone;
    }

    /** The connection ends, because the relay does. */
    void relayEnded() {
        if (connection != null) {
            connection = null;
            ended();
            start();
        }
    }

    private final class Connection {
        private final SimExecutor relay;
        private final SimPipe toRelay = host.pipe();
        private final SimPipe toUser = host.pipe();
        private final FrameDecoder decoder = new FrameDecoder(1 << 20);
        private @Nullable SimWire wire;
        private boolean welcomed;

        Connection(SimRelay to) {
            relay = to.loop();
            relay.execute(() -> {
                SimWire made =
                        new SimWire(relay, bytes -> toUser.send(() -> arrived(bytes)), () -> toUser.send(this::closed));
                wire = made;
                to.serve(made.channel, uid);
            });
        }

        private void arrived(byte[] bytes) {
            if (connection != this) {
                return;
            }
            ByteBuffer in = ByteBuffer.wrap(bytes);
            if (!welcomed) {
                byte errnum = in.get();
                SimWitness.require(errnum == 0, () -> "the relay refuses a connection with error " + errnum);
                welcomed = true;
                welcome();
            }
            try {
                for (Message next = decoder.feed(in); next != null && connection == this; next = decoder.feed(in)) {
                    receive((Response) next);
                }
            } catch (ProtocolException e) {
                throw new AssertionError(e);
            }
        }

        private void closed() {
            SimWitness.require(connection != this, () -> "the relay closes the connection of user" + uid);
        }

        void send(Request request) {
            byte[] bytes = SimWire.encoded(request);
            toRelay.send(() -> relay.execute(() -> {
                SimWire open = wire;
                if (open != null) {
                    open.arrive(bytes);
                }
            }));
        }

        void close() {
            toRelay.send(() -> relay.execute(() -> {
                SimWire open = wire;
                if (open != null) {
                    open.end();
                }
            }));
        }
    }
}
