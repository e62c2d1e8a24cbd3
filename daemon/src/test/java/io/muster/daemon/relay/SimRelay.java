package io.muster.daemon.relay;

import io.muster.daemon.machine.SimExecutor;
import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import io.muster.protocol.client.TlsServer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A relay in the simulator: that of the product, without sockets. */
public final class SimRelay implements RelayHost {
    private final Simulation simulation;
    private final SimMachine machine;
    private final Network network;
    private final SimExecutor loop;
    private final RelayLoop relay;

    /** Connects the relay with servers. */
    public interface Network {
        /** As {@link RelayHost#connect}. */
        void connect(String server, ChannelHandler handler, Consumer<String> failed);
    }

    public SimRelay(Simulation simulation, SimMachine machine, String name, List<TlsServer> servers, Network network) {
        this.simulation = simulation;
        this.machine = machine;
        this.network = network;
        this.loop = machine.worker("relay", Integer.MAX_VALUE);
        this.relay = new RelayLoop(this, servers, name, Duration.ofSeconds(5));
        loop.execute(relay::start);
    }

    @Override
    public SimExecutor loop() {
        return loop;
    }

    @Override
    public long nanos() {
        return machine.nanos();
    }

    @Override
    public void name(int uid, Consumer<String> then) {
        var unused = loop.schedule(
                () -> then.accept("user" + uid), simulation.choices().nextInt(5000), TimeUnit.MICROSECONDS);
    }

    @Override
    public void connect(TlsServer server, int attempt, ChannelHandler handler, Consumer<String> failed) {
        network.connect(server.host(), handler, failed);
    }

    /** Serves a user who has connected. To be called on the relay's thread. */
    public void serve(Channel channel, int uid) {
        relay.serve(channel, () -> uid);
        channel.pipeline().fireChannelActive();
    }
}
