package io.muster.daemon.etcd;

import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.machine.SimMachine;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The ledger of a simulated daemon. */
public final class SimLedger {
    public static final String PREFIX = "/sim/";

    private SimLedger() {}

    /** What one daemon uses. */
    public record Parts(
            SimMachine machine, Journal journal, Disk disk, long lastEvent, InstantSource clock, Duration ttl) {}

    public static EtcdLedger open(
            String member, EtcdModel etcd, Parts parts, LedgerListener listener, Executor core, Supplier<Boolean> isCut)
            throws IOException {
        SimMachine machine = parts.machine;
        EtcdSettings settings = new EtcdSettings(
                new EtcdAccess(List.of(URI.create("http://etcd:1")), new EtcdTls(null, null, null), "", null),
                PREFIX,
                new Leader(member, machine.newId(), "host-" + member, 1, List.of("local:///" + member), "1", 1),
                parts.ttl,
                Duration.ofSeconds(10),
                false,
                true,
                200,
                parts.clock,
                machine);
        LocalCopy copy = new LocalCopy(parts.journal, parts.disk, parts.lastEvent, listener, machine);
        return new EtcdLedger(
                settings, copy, listener, core, first -> etcd.client(machine, first, isCut), store -> store);
    }
}
