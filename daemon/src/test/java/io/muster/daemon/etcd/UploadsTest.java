package io.muster.daemon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import io.muster.inventory.level.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class UploadsTest {
    private static final Keys KEYS = new Keys(SimLedger.PREFIX);
    private static final long SECOND = 1_000_000_000;

    private final Simulation simulation = new Simulation(1);
    private final EtcdModel model = new EtcdModel(simulation);
    private final SimMachine machine = new SimMachine(simulation, "a");
    private final Etcd client = model.client(machine, 0, () -> false);

    /** A client that restores etcd from a backup before it sends a write of the name of a snapshot. */
    private Etcd restoring(EtcdModel.Backup backup) {
        return (Etcd) Proxy.newProxyInstance(
                Etcd.class.getClassLoader(), new Class<?>[] {Etcd.class}, (proxy, method, arguments) -> {
                    boolean names = method.getName().equals("transact")
                            && ((List<?>) arguments[1])
                                    .stream()
                                            .anyMatch(op -> op instanceof Etcd.Op.Put put
                                                    && put.key().equals(KEYS.snapshot()));
                    if (names) {
                        model.restore(backup);
                        machine.park(20 * SECOND);
                    }
                    try {
                        return method.invoke(client, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private boolean publishes(boolean restored) throws Exception {
        new Store(client, KEYS, machine).campaign("{}", client.grant(60, Store.ATTEMPT_MILLIS));
        long term = model.revision(KEYS.leader());
        Store store = new Store(restored ? restoring(model.backup()) : client, KEYS, machine);
        return new Uploads(store).publish(term, 1, "t", Terms.NONE, 1, Level.NEWEST, new byte[10]);
    }

    private boolean outcome(boolean restored) {
        AtomicReference<Object> outcome = new AtomicReference<>("nothing came of it");
        machine.thread("a", () -> {
                    try {
                        outcome.set(publishes(restored));
                    } catch (Exception e) {
                        outcome.set(e);
                    }
                })
                .start();
        simulation.runUntil(60 * SECOND);
        machine.kill();
        assertThat(outcome.get()).isInstanceOf(Boolean.class);
        return (Boolean) outcome.get();
    }

    @Test
    void aSnapshotIsPublished() {
        assertThat(outcome(false)).isTrue();
        assertThat(model.text(KEYS.snapshot())).isNotNull();
    }

    @Test
    void aSnapshotWhosePiecesARestoreHasTakenAwayIsNotPublished() {
        assertThat(outcome(true)).isFalse();
        assertThat(model.text(KEYS.snapshot())).isNull();
    }
}
