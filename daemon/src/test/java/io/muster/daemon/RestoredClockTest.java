package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdModel;
import io.muster.daemon.journal.CrashDisk;
import io.muster.daemon.machine.Simulation;
import io.muster.daemon.metrics.Metrics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A simulated daemon reads the time of a leader in a backup of etcd that was restored. */
final class RestoredClockTest {
    @TempDir
    Path directory;

    private final Simulation simulation = new Simulation(1);
    private final EtcdModel etcd = new EtcdModel(simulation);

    private void pass(Duration time) {
        simulation.runUntil(simulation.now() + time.toNanos());
    }

    private SimWorld world(Telemetry telemetry) throws Exception {
        return new SimWorld(simulation, new SimWitness(() -> 0), new SimConfigs(directory).of(false), telemetry);
    }

    /** Returns a daemon that has just started with an empty directory, on an etcd with a backup that is four minutes old. */
    private SimDaemon startedOnABackup(Telemetry telemetry) throws Exception {
        SimDaemon daemon = new SimDaemon("a", world(telemetry), etcd, null);
        daemon.start();
        pass(Duration.ofSeconds(10));
        EtcdModel.Backup old = etcd.backup();
        pass(Duration.ofMinutes(4));
        daemon.kill();
        daemon.disk.restore(new CrashDisk.Image());
        etcd.restore(old);
        daemon.start();
        return daemon;
    }

    /** Checks that the daemon soon goes by its own clock, and ends it. */
    private void checkClock(SimDaemon daemon) {
        pass(Duration.ofSeconds(40));
        WallClock clock = daemon.inventory().clock();
        assertThat(clock.trouble()).isEmpty();
        assertThat(clock.own()).hasValue(clock.now());
        daemon.kill();
    }

    /** The backup has the key of the leader, which etcd keeps until the lease ends. */
    @Test
    void theTimeInARestoredBackupIsNotThatOfALeader() throws Exception {
        try (Telemetry telemetry = new Telemetry(new Metrics("test", "test"))) {
            SimDaemon daemon = startedOnABackup(telemetry);
            checkClock(daemon);
        }
    }

    /** Each election in etcd extends the lease of the leader in the backup, which does not live. */
    @Test
    void theTimeInARestoredBackupIsNotThatOfALeaderHoweverLongTheLeaseLasts() throws Exception {
        try (Telemetry telemetry = new Telemetry(new Metrics("test", "test"))) {
            SimDaemon daemon = startedOnABackup(telemetry);
            for (int i = 0; i < 10; i++) {
                pass(Duration.ofSeconds(4));
                etcd.elect();
            }
            checkClock(daemon);
        }
    }

    /** The restored etcd gives out revisions again that the standby has seen. */
    @Test
    void aStandbyComparesItsClockWithTheTimesThatALeaderWritesAfterARestore() throws Exception {
        try (Telemetry telemetry = new Telemetry(new Metrics("test", "test"))) {
            SimWorld world = world(telemetry);
            SimDaemon one = new SimDaemon("a", world, etcd, null);
            SimDaemon other = new SimDaemon("b", world, etcd, null);
            one.start();
            pass(Duration.ofSeconds(10));
            other.start();
            pass(Duration.ofSeconds(10));
            EtcdModel.Backup old = etcd.backup();
            pass(Duration.ofMinutes(4));
            etcd.restore(old);
            pass(Duration.ofSeconds(30));
            SimDaemon standby = Objects.requireNonNull(one.ledger()).role().term() == 0 ? one : other;
            standby.ahead = Duration.ofMinutes(2).toNanos();
            pass(Duration.ofSeconds(80));
            assertThat(standby.inventory().clock().trouble())
                    .containsPattern("(1m5\\ds|2m(\\ds)?) ahead of the clock of the daemon that led");
            one.kill();
            other.kill();
        }
    }
}
