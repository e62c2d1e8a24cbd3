package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.journal.JournalCheck;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.inventory.idset.Idset;
import io.muster.it.cast.ConcurrentAdmins;
import io.muster.it.cast.FollowingScheduler;
import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Peer;
import io.muster.it.harness.Strace;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.SentRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.testing.Needs;
import io.muster.testing.SeedSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of the machine. The tests in one process let every operation on a disk fail; these tests use real file systems, real limits and
 * the whole daemon.
 */
@Timeout(900)
class FaultTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String REFUSED = "changes are refused until the ledger can be written again";
    private static final String UNCERTAIN = "changes are refused: .*the change may exist after a restart";
    private static final String RENAMES = "rename,renameat,renameat2";
    private static final int SNAPSHOT_EVERY = 20;
    /** Name of the daemon's journal thread. */
    private static final String JOURNAL = "journal";
    /** An hour in microseconds, the unit of strace. */
    private static final long AN_HOUR = 3_600_000_000L;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess.Setup setup(String... config) {
        List<String> lines = new ArrayList<>(List.of(config));
        lines.add(RecordingAdmin.resources());
        return DaemonProcess.Setup.in(directory, lines.toArray(String[]::new));
    }

    /** A file system of a given size in KiB in place of the state directory. */
    private record Tmpfs(Path where) implements AutoCloseable {
        static Tmpfs mount(Path where, int size) throws IOException {
            Files.createDirectories(where);
            Tool.run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + size + "k", "muster-test", where.toString());
            return new Tmpfs(where);
        }

        /** Copies the contents to a directory beside the mount point, for the analysis of a failure. */
        @Override
        public void close() {
            Tool.copy(where, where.resolveSibling("state-as-it-was"));
            Tool.run("umount", where.toString());
        }
    }

    @Test
    @Needs("mount")
    void changesAreRefusedOnAFullDiskAndAcceptedAgainWhenThereIsRoom() throws Exception {
        Tmpfs disk = Tmpfs.mount(directory.resolve("state"), 1024);
        try (disk) {
            Path ballast = Files.write(disk.where.resolve("ballast"), new byte[512 << 10]);
            refusesAndRecovers(setup(), daemon -> {}, daemon -> Files.delete(ballast), "No space left on device");
        }
    }

    @Test
    void changesAreRefusedAtTheFileSizeLimitAndAcceptedAgainAfterIt() throws Exception {
        refusesAndRecovers(
                setup(),
                daemon -> daemon.limit("fsize", "100000:unlimited"),
                daemon -> daemon.limit("fsize", "unlimited"),
                "File too large");
    }

    @ParameterizedTest
    @Needs("strace")
    @ValueSource(strings = {"pwrite64", "fdatasync,fsync", "fdatasync,ftruncate"})
    void changesAreRefusedWhileTheDiskReturnsErrors(String calls) throws Exception {
        List<Strace> faults = new ArrayList<>();
        refusesAndRecovers(
                setup(),
                daemon -> faults.add(Strace.on(daemon, JOURNAL, calls, inject(calls, "error=EIO"))),
                daemon -> faults.remove(0).close(),
                "Input/output error");
    }

    private static String inject(String calls, String fault) {
        return "--inject=" + calls + ":" + fault;
    }

    /** Checks the assumption of the simulated disks: the daemon forces files and names on a real disk, in the right order. */
    @Test
    @Needs("strace")
    void changesAreForcedBeforeTheAnswerAndFilesBeforeAndAfterTheirRename() throws Exception {
        DaemonProcess.Setup setup = setup("snapshot-every = " + SNAPSHOT_EVERY);
        try (DaemonProcess daemon = setup.start();
                RecordingAdmin recorder = RecordingAdmin.at(daemon, 10)) {
            Strace strace = Strace.on(daemon, JOURNAL, "fdatasync,fsync," + RENAMES);
            recorder.write(2 * SNAPSHOT_EVERY);
            await().atMost(PATIENCE).until(() -> Files.exists(setup.stateDir().resolve("snapshot.prev.json")));
            recorder.write(1); // into the new segment, which may have been begun after all other changes
            daemon.stop();
            strace.close();
            String state = setup.stateDir().toRealPath().toString();
            String calls = String.join("\n", strace.calls());
            assertThat(strace.calls())
                    .filteredOn(call -> call.matches("fdatasync\\(\\d+<" + state + "/journal/\\d+\\.log>\\) += 0"))
                    .hasSizeGreaterThanOrEqualTo(2 * SNAPSHOT_EVERY);
            assertThat(calls).containsPattern(forcedAndNamed(state, "snapshot\\.json"));
            assertThat(calls).containsPattern(forcedAndNamed(state, "snapshot\\.prev\\.json"));
            assertThat(calls)
                    .containsPattern(forcedAndNamed(state + "/journal", "(\\d+)\\.log") + "(?s:.*)\nfdatasync\\(\\d+<"
                            + state + "/journal/\\1\\.log>\\)");
        }
    }

    /** A pattern in which no change is forced between the rename and the force of the directory. */
    private static String forcedAndNamed(String directory, String name) {
        String tmp = name.replace("(\\d+)", "\\d+") + "\\.tmp";
        String open = "\\d+<" + directory + ">, ";
        return "(?m)^fsync\\(\\d+<" + directory + "/" + tmp + ">\\) += 0\n"
                + "renameat\\(" + open + "\"" + tmp + "\", " + open + "\"" + name + "\"\\) += 0\n"
                + "(?:(?!fdatasync).*\n)*?fsync\\(\\d+<" + directory + ">\\) += 0$";
    }

    /** The previous snapshot stays in use, and so does the current segment. */
    @Test
    @Needs("strace")
    void aFailedRenameLosesNoChange() throws Exception {
        List<Strace> faults = new ArrayList<>();
        costsSnapshotsOnly(
                setup("snapshot-every = " + SNAPSHOT_EVERY),
                daemon -> faults.add(Strace.on(daemon, JOURNAL, RENAMES, inject(RENAMES, "error=EIO"))),
                daemon -> faults.remove(0).close());
    }

    /** Until the force returns, the changes that wait for it are not sent to the scheduler, and queries are answered. */
    @Test
    @Needs("strace")
    void aHangingForceDelaysOnlyChanges() throws Exception {
        DaemonProcess.Setup setup = setup("metrics = \"127.0.0.1:0\"");
        RecordingAdmin recorder;
        try (DaemonProcess daemon = setup.start();
                FluxClient admin = daemon.connect()) {
            recorder = RecordingAdmin.at(daemon, 10);
            recorder.write(5);
            FollowingScheduler scheduler = FollowingScheduler.of(daemon);
            Idset up = recorder.up();
            List<SentRequest> calls = new ArrayList<>();
            try (Strace hanging =
                    Strace.on(daemon, JOURNAL, "fdatasync", inject("fdatasync", "delay_enter=" + AN_HOUR))) {
                assertThat(hanging).isNotNull();
                for (int i = 0; i < 50; i++) {
                    calls.add(admin.call("resource.drain", RecordingAdmin.drain(5 + i % 5, "waits")));
                }
                for (int i = 0; i < 50; i++) {
                    recorder.check();
                    assertThat(scheduler.knowledge().up()).isEqualTo(up);
                }
                await().atMost(PATIENCE)
                        .until(() -> daemon.get("/readyz").contains("changes wait: the ledger has not answered for"));
                recorder.check();
                assertThat(scheduler.knowledge().up())
                        .as("while the force hangs")
                        .isEqualTo(up);
            }
            for (SentRequest call : calls) {
                call.get();
            }
            await().atMost(PATIENCE).until(() -> scheduler.knowledge().up().equals(up.subtract(Idset.range(5, 9))));
            daemon.kill();
            scheduler.join();
            assertThat(scheduler.failure()).isNull();
        }
        for (int rank = 5; rank < 10; rank++) {
            recorder.promise(rank, "waits");
        }
        restartsWith(setup, recorder);
    }

    private interface Act {
        void on(DaemonProcess daemon) throws Exception;
    }

    private static String fault(DaemonProcess daemon) throws IOException {
        return daemon.ask("resource.state").path("fault").asText("");
    }

    private void refusesAndRecovers(DaemonProcess.Setup setup, Act fill, Act makeRoom, String reason) throws Exception {
        RecordingAdmin recorder;
        try (DaemonProcess daemon = setup.start().expect(REFUSED, UNCERTAIN)) {
            recorder = RecordingAdmin.at(daemon, 500);
            FollowingScheduler scheduler = FollowingScheduler.of(daemon);
            fill.on(daemon);
            RpcException refused = recorder.writeUntilRefused();
            assertThat(refused.errno()).isEqualTo(Errno.EROFS);
            assertThat(refused).hasMessageContaining(reason);
            for (int i = 0; i < 200; i++) {
                assertThat(recorder.write()).as("a change that does not fit").isNotNull();
            }
            recorder.check();
            // The daemon tries the disk again by itself. If a few bytes fit, there is no fault until the next change.
            await().atMost(PATIENCE)
                    .until(() -> recorder.write() != null && fault(daemon).contains(reason));
            makeRoom.on(daemon);
            await().atMost(PATIENCE).until(() -> recorder.write() == null);
            recorder.write(10);
            recorder.check();
            assertThat(fault(daemon)).isEmpty();
            await().atMost(PATIENCE).until(() -> scheduler.knowledge().up().equals(recorder.up()));
            daemon.kill();
            scheduler.join();
            assertThat(scheduler.failure()).isNull();
            assertThat(daemon.output().lines())
                    .filteredOn(line -> line.contains("changes are refused"))
                    .as("not one for each refusal")
                    .hasSizeLessThan(100);
        }
        restartsWith(setup, recorder);
    }

    private static void restartsWith(DaemonProcess.Setup setup, RecordingAdmin recorder) throws Exception {
        try (DaemonProcess daemon = setup.start();
                RecordingAdmin again = recorder.at(daemon)) {
            again.check();
            again.write(10);
        }
    }

    @Test
    void aRemovedStateDirectoryIsNoticedAndOnlyChangesAreRefused() throws Exception {
        try (DaemonProcess daemon = setup().start()
                        .expect(
                                REFUSED + ".*it was removed or replaced",
                                "the snapshot at seq [0-9]+ cannot be written",
                                "the last snapshot could not be written");
                RecordingAdmin recorder = RecordingAdmin.at(daemon, 10)) {
            recorder.write(5);
            FollowingScheduler scheduler = FollowingScheduler.of(daemon);
            // Moved in one operation, because rm fails if the daemon creates files while rm runs.
            Files.move(directory.resolve("state"), directory.resolve("gone"));
            RpcException refused = recorder.writeUntilRefused();
            assertThat(refused.errno()).isEqualTo(Errno.EROFS);
            recorder.check();
            await().atMost(PATIENCE).until(() -> scheduler.knowledge().up().equals(recorder.up()));
            assertThat(scheduler.failure()).isNull();
        }
    }

    /** The new directory may belong to another daemon, or be a copy that was put back. */
    @Test
    void aDirectoryThatReplacedTheStateDirectoryIsNotWrittenTo() throws Exception {
        DaemonProcess.Setup setup = setup("metrics = \"127.0.0.1:0\"");
        Path state = setup.stateDir();
        Path old;
        String before;
        try (DaemonProcess daemon = setup.start()
                        .expect(
                                REFUSED + ".*it was removed or replaced",
                                "the snapshot at seq [0-9]+ cannot be written",
                                "the last snapshot could not be written");
                RecordingAdmin recorder = RecordingAdmin.at(daemon, 10)) {
            recorder.write(5);
            old = Tool.copy(state, directory.resolve("old"));
            recorder.write(5);
            Files.move(state, directory.resolve("moved"));
            Files.move(old, state);
            before = listing(state);
            await().atMost(PATIENCE).until(() -> daemon.get("/readyz").contains("it was removed or replaced"));
            assertThat(recorder.write()).isNotNull();
        }
        assertThat(listing(state)).isEqualTo(before);
    }

    private static String listing(Path directory) {
        return Tool.run("find", directory.toString(), "-type", "f", "-printf", "%P %s %T@ %i\n");
    }

    @Test
    void aRemovedSocketIsReported() throws Exception {
        DaemonProcess.Setup setup = setup("metrics = \"127.0.0.1:0\"");
        try (DaemonProcess daemon = setup.start().expect("the socket .*sock was removed")) {
            Files.delete(setup.socket());
            await().atMost(PATIENCE)
                    .until(() -> daemon.get("/readyz")
                            .contains("the socket " + setup.socket()
                                    + " was removed, so nobody can connect to it: restart the daemon"));
            DaemonProcess second =
                    setup.spawn().expect("socket .*sock is in use by pid|state directory .* is in use by pid");
            assertThat(second.awaitExit()).isEqualTo(75);
        }
    }

    /** The current segment can be written, so only snapshots fail. */
    @Test
    void aReadOnlyStateDirectoryLosesNoChange() throws Exception {
        Path state = Files.createDirectory(directory.resolve("state"));
        Path journal = state.resolve("journal");
        costsSnapshotsOnly(
                setup("snapshot-every = " + SNAPSHOT_EVERY).wrapper(withoutRootsPowers()),
                daemon -> mode("r-x------", state, journal),
                daemon -> mode("rwx------", state, journal));
    }

    private void costsSnapshotsOnly(DaemonProcess.Setup setup, Act spoil, Act mend) throws Exception {
        RecordingAdmin recorder;
        try (DaemonProcess daemon = setup.start()
                .expect(
                        "the snapshot at seq [0-9]+ cannot be written: .*",
                        "a new journal segment could not be begun")) {
            recorder = RecordingAdmin.at(daemon, 10);
            recorder.write(50);
            long seq = daemon.ask("resource.state").path("seq").longValue();
            await().atMost(PATIENCE).until(() -> seq - snapshotSeq(setup) < SNAPSHOT_EVERY); // no snapshot is under way
            long before = snapshotSeq(setup);
            spoil.on(daemon);
            recorder.write(100);
            daemon.output().await("cannot be written"); // another thread writes snapshots
            recorder.check();
            assertThat(snapshotSeq(setup)).isEqualTo(before);
            mend.on(daemon);
            await().atMost(PATIENCE).until(() -> {
                recorder.write(50);
                return snapshotSeq(setup) > before;
            });
            daemon.kill();
            assertThat(daemon.output().lines())
                    .filteredOn(line -> line.contains(" WARN "))
                    .hasSizeBetween(1, 20);
        }
        restartsWith(setup, recorder);
    }

    private static long snapshotSeq(DaemonProcess.Setup setup) throws IOException {
        return JournalCheck.verify(LocalDisk.existing(setup.stateDir()), b -> {})
                .snapshotSeq();
    }

    private static void mode(String mode, Path... directories) throws IOException {
        for (Path path : directories) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
        }
    }

    /** Removes root's capability to write everywhere, with which the daemon could still create files. */
    private static String[] withoutRootsPowers() {
        return Tool.isRoot()
                ? new String[] {"setpriv", "--bounding-set=-dac_override,-dac_read_search"}
                : new String[0];
    }

    @Test
    void withoutFreeDescriptorsNewPeersWaitAndOthersAreServed() throws Exception {
        DaemonProcess.Setup setup = setup().wrapper("prlimit", "--nofile=100:100");
        try (DaemonProcess daemon = setup.start().expect("connections cannot be accepted and have to wait");
                RecordingAdmin recorder = RecordingAdmin.at(daemon, 10)) {
            List<Peer> peers = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                peers.add(Peer.connect(setup.socket()));
            }
            daemon.output().await("connections cannot be accepted and have to wait");
            recorder.write(20);
            recorder.check();
            for (Peer peer : peers) {
                peer.close();
            }
            try (Peer late = Peer.connect(setup.socket())) {
                assertThat(late.welcome()).isZero();
            }
            daemon.output().await("connections are accepted again");
            recorder.write(20);
            recorder.check();
        }
    }

    @Test
    void aStoppedProcessContinuesAfterSigcont() throws Exception {
        Random random = SeedSource.random(1);
        ConcurrentAdmins admins = new ConcurrentAdmins();
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(directory, ConcurrentAdmins.resources());
        try (DaemonProcess daemon = setup.start()) {
            admins.start(daemon, random);
            for (int i = 1; i <= 5; i++) {
                admins.awaitAnswers(i * 300);
                daemon.signal("STOP");
                LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
                daemon.signal("CONT");
            }
            admins.awaitAnswers(2000);
            admins.finish();
            admins.awaitScheduler();
            admins.expectEnd();
            daemon.kill();
            admins.join();
        }
        try (DaemonProcess daemon = setup.start()) {
            admins.settle(daemon);
        }
    }

    /** After an OutOfMemoryError nothing can be guaranteed, so the process ends; every change answered before is kept. */
    @Test
    void anOutOfMemoryErrorEndsTheDaemonAndLosesNoAnsweredChange() throws Exception {
        ConcurrentAdmins admins = new ConcurrentAdmins();
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(directory, ConcurrentAdmins.resources());
        try (DaemonProcess daemon =
                setup.jvm("-Xmx24m", "-XX:+UseSerialGC").start().expect("OutOfMemoryError")) {
            admins.start(daemon, SeedSource.random(2));
            admins.awaitAnswers(500);
            admins.expectEnd();
            exhaust(setup.socket());
            assertThat(daemon.awaitExit()).as("exit status").isEqualTo(3);
            admins.join();
        }
        admins.checkDirectory(setup.stateDir());
        try (DaemonProcess daemon = setup.start().expect("the last write was cut short by a crash")) {
            admins.settle(daemon);
        }
    }

    /** Opens peers that send half of a large message and wait. */
    private static void exhaust(Path socket) throws IOException {
        int half = 8 << 20;
        List<Peer> peers = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                Peer peer = Peer.connect(socket);
                peers.add(peer);
                peer.send(ByteBuffer.allocate(8)
                        .putInt(0x1200eeff)
                        .putInt(2 * half)
                        .flip());
                peer.send(ByteBuffer.allocate(half));
            }
        } catch (IOException gone) {
            assertThat(gone).as("the daemon's end").isNotNull();
        } finally {
            for (Peer peer : peers) {
                peer.close();
            }
        }
    }
}
