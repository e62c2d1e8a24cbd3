package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.machine.SimMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ledger of a simulated daemon. */
public final class SimLedger {
    public static final String PREFIX = "/sim/";

    /** So few events that a daemon is often away for longer than etcd keeps the log. */
    private static final int SNAPSHOT_EVERY = 60;

    private static final JsonMapper JSON = JsonMapper.builder().build();

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
                new Leader(
                        member,
                        machine.newId(),
                        "host-" + member,
                        1,
                        List.of("local:///" + member),
                        "1",
                        machine.level()),
                parts.ttl,
                Duration.ofSeconds(10),
                false,
                true,
                SNAPSHOT_EVERY,
                parts.clock,
                machine);
        LocalCopy copy = new LocalCopy(parts.journal, parts.disk, parts.lastEvent, listener, machine);
        return new EtcdLedger(
                settings, copy, listener, core, first -> etcd.client(machine, first, isCut), store -> store);
    }

    /** Returns why a daemon with an empty directory cannot have the state of the ledger in etcd; "" if it can. */
    public static String hole(EtcdModel etcd) {
        Keys keys = new Keys(PREFIX);
        String head = etcd.text(keys.head());
        try {
            Uploads.Ref ref = snapshot(etcd, keys);
            long seq = ref == null ? 0 : ref.seq();
            for (int i = 0; ref != null && i < ref.parts(); i++) {
                if (etcd.revision(Keys.piece(keys.snapshots(ref.name()), i)) == 0) {
                    return "piece " + i + " of the published snapshot " + ref.name() + " is missing";
                }
            }
            long last = head == null ? 0 : JSON.readTree(head).path("seq").asLong();
            return last <= seq || etcd.revision(keys.log(seq + 1)) != 0
                    ? ""
                    : "the log does not continue the snapshot at seq " + seq;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Uploads.@Nullable Ref snapshot(EtcdModel etcd, Keys keys) throws IOException {
        String published = etcd.text(keys.snapshot());
        return published == null
                ? null
                : Uploads.Ref.parse(JSON.readTree(published).path("current"));
    }

    /** What is told about a snapshot: the seq of its last event, and its time. */
    public interface Told {
        void of(long seq, double time);
    }

    /** Tells of the published snapshot, if there is one. */
    public static void published(EtcdModel etcd, Told told) {
        try {
            Uploads.Ref ref = snapshot(etcd, new Keys(PREFIX));
            if (ref != null) {
                told.of(ref.seq(), ref.time());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether etcd has the beginning of a ledger whose last event has this seq. */
    public static boolean isPart(EtcdModel etcd, long last) {
        String head = etcd.text(new Keys(PREFIX).head());
        try {
            return head != null && JSON.readTree(head).path("seq").asLong() < last;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes the copy of a ledger to etcd, as an operator does: {@code etcdctl del --prefix}, and {@code muster ledger import}. */
    public static void imported(EtcdModel etcd, SimMachine machine, Disk disk, InstantSource clock) throws IOException {
        Store store = new Store(etcd.client(machine, 0, () -> false), new Keys(PREFIX), machine);
        store.etcd()
                .transact(
                        List.of(),
                        List.of(new Etcd.Op.Delete(PREFIX, Keys.end(PREFIX))),
                        List.of(),
                        Store.LONG_ATTEMPT_MILLIS);
        try (LedgerAdmin admin = new LedgerAdmin(store, "operator", clock)) {
            admin.importFrom(disk, (what, count) -> {});
        }
    }
}
