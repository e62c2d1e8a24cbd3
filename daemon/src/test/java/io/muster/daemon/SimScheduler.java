package io.muster.daemon;

import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.Sink;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.AcquisitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.SchedulerView;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.testing.SchedulerModel;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A scheduler that acquires the resources again whenever its stream ends, and whose socket is full now and then. */
final class SimScheduler {
    private static final long MILLI = 1_000_000;

    private final SimCluster cluster;
    private final SplittableRandom random;
    private final Principal by = new Principal(500, "flux", 9);
    private final @Nullable Owner owner;
    private @Nullable Connection connection;
    private boolean left;
    /** When the scheduler was last sent something. */
    private long servedAt;

    long messages;

    SimScheduler(SimCluster cluster, @Nullable Owner owner) {
        this.cluster = cluster;
        this.owner = owner;
        this.random = cluster.simulation().choices().split();
        cluster.witness().watch(this::released);
    }

    private void released(Entry entry, InventoryState before) {
        if (owner != null
                && entry.event() instanceof AcquisitionChanges.Released released
                && released.owner().equals(owner.name())) {
            long absent = cluster.simulation().now() - servedAt;
            SimWitness.require(
                    absent >= owner.grace() * 1000 * MILLI,
                    () -> "the acquisition of " + owner.name() + " is released after " + absent / MILLI + " ms");
        }
    }

    void start() {
        cluster.simulation().after(MILLI * random.nextInt(1000), this::connect);
    }

    private void connect() {
        if (left) {
            return;
        }
        SimDaemon to = cluster.someDaemon(random);
        Connection next = new Connection(to);
        connection = next;
        to.ask(cluster.delay(random), next::open);
        next.watch();
    }

    private void again(Connection ended) {
        if (connection == ended) {
            connection = null;
            if (!ended.isBusy) {
                cluster.forget(ended.daemon);
            }
            cluster.simulation().after(MILLI * (100 + random.nextInt(ended.isBusy ? 9000 : 900)), this::connect);
        }
    }

    private final class Connection implements Sink {
        private final SimDaemon daemon;
        private final SchedulerModel model = new SchedulerModel();
        private SimDaemon.@Nullable Run process;
        private @Nullable AcquireStream stream;
        private boolean full;
        /** Whether the daemon was told that the socket is full, and not yet that the socket can take more. */
        private boolean waits;

        private boolean over;
        /** Whether the daemon said that another scheduler holds the resources. */
        private boolean isBusy;

        Connection(SimDaemon daemon) {
            this.daemon = daemon;
        }

        void open(Core core, SimDaemon.Run at) {
            process = at;
            try {
                stream = core.streams().acquires().acquire(this, by, owner);
                if (connection != this) { // given up meanwhile
                    close();
                }
            } catch (RpcException refused) {
                isBusy = refused.errno().equals(Errno.EBUSY);
                end(refused);
            }
        }

        /** Notices a daemon that has ended or cannot be reached. */
        void watch() {
            cluster.simulation().after(2000 * MILLI, () -> {
                if (connection != this) {
                    return;
                }
                if (process == null || daemon.process() != process || daemon.cutFromClients) {
                    close();
                    again(this);
                } else {
                    if (waits) {
                        resume();
                    }
                    watch();
                }
            });
        }

        /** The daemon notices that the socket can take more. */
        private void resume() {
            AcquireStream open = stream;
            daemon.ask(0, (now, at) -> {
                if (at == process && open != null && takesMore()) {
                    boolean waited = waits;
                    waits = false;
                    now.streams().acquires().resume(open);
                    if (waited && takesMore() && !over && connection == this) {
                        know(now.inventory().state());
                    }
                }
            });
        }

        /** Has the daemon see the end of the connection, as soon as packets reach it again. */
        private void close() {
            AcquireStream open = stream;
            if (open == null || daemon.process() != process) {
                return;
            }
            if (daemon.cutFromClients) {
                cluster.simulation().after(500 * MILLI, this::close);
            } else {
                daemon.ask(0, (core, at) -> core.streams().acquires().release(open));
            }
        }

        private boolean takesMore() {
            return !full && !daemon.cutFromClients && !daemon.answersLost;
        }

        @Override
        public boolean isWritable() {
            waits |= !takesMore();
            return takesMore();
        }

        @Override
        public @Nullable RpcException refusal(Bytes payload) {
            return null;
        }

        @Override
        public void send(Bytes payload) {
            Core core = daemon.core();
            SimWitness.require(
                    core == null || core.inventory().seq() <= cluster.witness().highest(),
                    () -> daemon.name + " sends a scheduler a state that is not durable");
            messages++;
            servedAt = cluster.simulation().now();
            if (core != null && model.responses() == 0) {
                cluster.checkExclusive(
                        SimScheduler.this, daemon, core.inventory().state());
            }
            try {
                model.receive(payload);
            } catch (ProtocolException e) {
                throw new AssertionError(e);
            }
            cluster.simulation().note(() -> daemon.name + " sends the scheduler " + text(payload));
            if (core != null
                    && cluster.follows(daemon)
                    && core.inventory().seq() <= cluster.witness().lastSeq()) {
                know(cluster.witness().at(core.inventory().seq()));
            }
            if (random.nextInt(8) == 0) {
                full = true;
                int most = random.nextInt(10) == 0 ? 10_000 : 400;
                cluster.simulation().after(MILLI * random.nextInt(most), () -> {
                    full = false;
                    resume();
                });
            }
        }

        private void know(InventoryState state) {
            SchedulerView view = state.view();
            model.assertKnows(view.up(), state.resources().properties(), view.expiration());
            model.present()
                    .forEach(rank -> SimWitness.require(
                            model.hostOf(rank).equals(state.resources().hostOf(rank)),
                            () -> "the scheduler takes " + model.hostOf(rank) + " for rank " + rank + ", and "
                                    + state.resources().hostOf(rank) + " is"));
        }

        private boolean knows(InventoryState state) {
            SchedulerView view = state.view();
            return model.knows(view.up(), state.resources().properties(), view.expiration());
        }

        @Override
        public void end(RpcException reason) {
            over = true;
            cluster.simulation().note(() -> daemon.name + " ends the scheduler's stream: " + reason.getMessage());
            cluster.simulation().after(0, () -> again(this));
        }
    }

    /** Ends for good. */
    void leave() {
        left = true;
        Connection now = connection;
        connection = null;
        if (now != null) {
            now.close();
        }
    }

    boolean hasLeft() {
        return left;
    }

    /** Checks that a scheduler that left long ago keeps nobody from the resources. */
    void checkReleased(InventoryState state) {
        SimWitness.require(
                !left || owner == null || !state.acquisitions().containsKey(owner.name()),
                () -> owner + " has left, and the resources still wait for it");
    }

    /** Checks that another scheduler may be served by this daemon, because this one is not. */
    void checkGone(SimDaemon daemon, InventoryState state) {
        Connection now = connection;
        boolean isServed = now != null && now.process == daemon.process() && !now.over && now.model.responses() > 0;
        SimWitness.require(!isServed, () -> daemon.name + " serves two schedulers");
        SimWitness.require(
                owner == null || !state.acquisitions().containsKey(owner.name()),
                () -> daemon.name + " serves a scheduler while another one, " + owner + ", may come back");
    }

    /** Checks that a scheduler of this daemon that reads was sent this event or a later one. */
    void checkSent(SimDaemon daemon, long seq) {
        Connection now = connection;
        AcquireStream open = now == null ? null : now.stream;
        boolean isServed = now != null && now.process == daemon.process() && !now.over;
        if (now == null || open == null || !isServed || now.waits || !cluster.follows(daemon)) {
            return;
        }
        boolean sent = now.model.responses() == 0;
        for (long at = seq; at <= cluster.witness().lastSeq() && !sent; at++) {
            sent = now.knows(cluster.witness().at(at));
        }
        SimWitness.require(
                sent, () -> daemon.name + " answers the change at " + seq + ", which its scheduler was not sent");
    }

    private static String text(Bytes payload) {
        try {
            return Json.parse(payload).toString();
        } catch (ProtocolException e) {
            throw new AssertionError(e);
        }
    }

    /** Whether a stream of this daemon has begun, and the scheduler reads. */
    boolean knows(@Nullable SimDaemon leader) {
        Connection now = connection;
        boolean reads = now != null && !now.full && !now.waits;
        return now != null && reads && !now.over && now.daemon == leader && now.model.responses() > 0;
    }

    /** Checks, when all is quiet, that the scheduler knows the state of the leader. */
    void check(SimDaemon leader) {
        Connection now = connection;
        if (now != null && knows(leader)) {
            now.know(leader.inventory().state());
        }
    }
}
