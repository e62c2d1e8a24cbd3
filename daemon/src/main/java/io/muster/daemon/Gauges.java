package io.muster.daemon;

import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.Reporters;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.metrics.Meter;
import io.muster.daemon.metrics.Metrics;
import io.muster.daemon.net.Gate;
import io.muster.daemon.net.Listener;
import io.muster.daemon.tls.Certificates;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.HostState;
import io.muster.inventory.status.JobUsage;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** Meters that are read from the state at each scrape; states are immutable, so any thread may read them. */
final class Gauges {
    private final Metrics metrics;
    private final Inventory inventory;

    private Gauges(Metrics metrics, Inventory inventory) {
        this.metrics = metrics;
        this.inventory = inventory;
    }

    /** @param classes the classes of holds that the configuration lists */
    static void bind(Telemetry telemetry, Core core, Gate gate, List<Listener> sockets, List<String> classes) {
        Metrics metrics = telemetry.metrics();
        Gauges gauges = new Gauges(metrics, core.inventory());
        gauges.states();
        gauges.flags();
        gauges.resources();
        gauges.holds(classes);
        gauges.ledger(core.ledger());
        SharedLedger.bind(metrics, core.ledger());
        gauges.value(Meter.SNAPSHOT_AGE, s -> gauges.age(telemetry.snapshotTime()));
        metrics.gauge(Meter.CLOCK_JUMP, core.inventory().clock()::jump);
        metrics.gauge(Meter.ACQUIRE_STREAMS, core.streams().acquires()::size);
        metrics.gauge(Meter.ACQUIRE_AWAY, core.streams().acquires()::away);
        metrics.gauge(Meter.REPORTERS, core.streams().reporters()::size);
        gauges.usage(core.streams().reporters());
        metrics.gauge(Meter.JOURNAL_STREAMS, core.streams().journals()::size);
        metrics.gauge(Meter.CONNECTIONS_HELD, () -> gate.accounts().held(true), "guests");
        metrics.gauge(Meter.CONNECTIONS_HELD, () -> gate.accounts().held(false), "others");
        for (Listener socket : sockets) {
            metrics.gauge(Meter.CONNECTIONS, socket::connections, socket.name());
        }
    }

    static void bind(Telemetry telemetry, Certificates certificates) {
        for (Certificates.Kind kind : Certificates.Kind.values()) {
            telemetry.metrics().gauge(Meter.CERTIFICATE_EXPIRY, () -> certificates.firstEnd(kind), kind.word());
        }
    }

    /** The age of something that happened at {@code time}; 0 if it never happened. */
    private double age(double time) {
        return time == 0 ? 0 : Math.max(0, inventory.now() - time);
    }

    /** Counts each rank once, in the first state of this list that applies to it. */
    private void states() {
        nodes(HostState.LOST.word(), s -> s.membership().lost());
        nodes(HostState.EXCLUDED.word(), s -> s.membership().excluded());
        nodes(HostState.OFFLINE.word(), s -> s.liveness().offline(s.members()));
        nodes(
                HostState.UNKNOWN.word(),
                s -> s.members()
                        .subtract(s.liveness().connected())
                        .intersect(s.liveness().reports().unknown()));
        nodes(HostState.TORPID.word(), s -> s.liveness().torpid().intersect(s.members()));
        nodes(
                HostState.DRAINED.word(),
                s -> s.holds()
                        .held()
                        .intersect(s.members())
                        .intersect(s.liveness().online()));
        nodes(HostState.AVAILABLE.word(), s -> s.view().up());
    }

    private void nodes(String name, Function<InventoryState, Idset> ranks) {
        metrics.gauge(Meter.NODES, () -> ranks.apply(inventory.state()).size(), name);
    }

    private void flags() {
        flag("held", s -> s.holds().held());
        flag(HostState.TORPID.word(), s -> s.liveness().torpid());
        flag(HostState.EXCLUDED.word(), s -> s.membership().excluded());
        flag(HostState.OFFLINE.word(), s -> s.liveness().offline(s.resources().ranks()));
        flag(HostState.UNKNOWN.word(), s -> s.liveness().reports().unknown());
    }

    private void flag(String name, Function<InventoryState, Idset> ranks) {
        metrics.gauge(Meter.NODES_FLAGGED, () -> ranks.apply(inventory.state()).size(), name);
    }

    /** Counts the ranks that jobs use; NaN if no reporter reports which ranks these are. */
    private void usage(Reporters reporters) {
        used(reporters, HostState.ALLOCATED, s -> s.resources().ranks());
        used(reporters, HostState.DRAINING, s -> s.holds().held());
    }

    private void used(Reporters reporters, HostState flag, Function<InventoryState, Idset> among) {
        metrics.gauge(
                Meter.NODES_FLAGGED,
                () -> reporters.usage().isEmpty()
                        ? Double.NaN
                        : (double) JobUsage.allocated(reporters.usage())
                                .intersect(among.apply(inventory.state()))
                                .size(),
                flag.word());
    }

    private void resources() {
        metrics.gauge(Meter.RESOURCES, () -> inventory.state().resources().nodes(), "node");
        metrics.gauge(Meter.RESOURCES_UP, () -> inventory.state().view().up().size(), "node");
        for (String type : new String[] {"core", "gpu"}) {
            metrics.gauge(Meter.RESOURCES, () -> count(type, s -> s.resources().ranks()), type);
            metrics.gauge(Meter.RESOURCES_UP, () -> count(type, s -> s.view().up()), type);
        }
        value(Meter.EXPIRATION, s -> s.resources().expiration());
    }

    private long count(String type, Function<InventoryState, Idset> ranks) {
        InventoryState state = inventory.state();
        ResourceSet resources = state.resources();
        return resources.count(type, ranks.apply(state));
    }

    private void holds(String label, Predicate<String> category) {
        metrics.gauge(
                Meter.HOLDS_OF_CLASS,
                () -> count(hold -> category.test(hold.purpose().category())),
                label);
    }

    private void holds(List<String> classes) {
        metrics.gauge(Meter.HOLDS, () -> count(hold -> hold.holder().equals(Hold.SHARED)), "admin");
        metrics.gauge(Meter.HOLDS, () -> count(hold -> !hold.holder().equals(Hold.SHARED)), "named");
        value(Meter.HOLDS_PLANNED, s -> s.plans().held().size());
        classes.forEach(name -> holds(name, name::equals));
        holds("none", String::isEmpty);
        holds("other", name -> !name.isEmpty() && !classes.contains(name));
        value(
                Meter.HOLD_OLDEST_AGE,
                s -> s.holds().groups().keySet().stream()
                        .mapToDouble(set -> age(set.oldest().since()))
                        .max()
                        .orElse(0));
    }

    private long count(Predicate<Hold> counted) {
        long holds = 0;
        for (Map.Entry<HoldSet, Idset> group :
                inventory.state().holds().groups().entrySet()) {
            long each = group.getKey().holds().stream().filter(counted).count();
            holds += each * group.getValue().size();
        }
        return holds;
    }

    private void ledger(Ledger ledger) {
        metrics.gauge(Meter.JOURNAL_SEQUENCE, ledger::durableSeq);
        metrics.gauge(Meter.JOURNAL_BYTES, ledger::bytes);
    }

    private void value(Meter meter, ToDoubleFunction<InventoryState> value) {
        metrics.gauge(meter, () -> value.applyAsDouble(inventory.state()));
    }
}
