package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.journal.disk.LockedException;
import io.muster.daemon.ledger.Condition;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalDiskTest {
    @TempDir
    Path temp;

    @Test
    void theJournalWorksOnARealDirectory() throws IOException {
        LocalDisk disk = LocalDisk.at(temp.resolve("var/state"));
        Client client = Client.open(disk);
        client.submit("a", "b");
        client.settle();
        client.snapshot();
        client.submit("c");
        client.close();

        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b", "3 c");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temp.resolve("var/state"))))
                .isEqualTo("rwx------");
        try (var files = Files.list(temp.resolve("var/state"))) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "lock", "retention", "snapshot.json", "snapshot.2023-11.json", "journal");
        }
    }

    @Test
    void theRefusalOfASecondJournalInThisProcessNamesTheHolderOfTheLock() throws IOException {
        LocalDisk disk = LocalDisk.at(temp);
        Client client = Client.open(disk);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> Client.open(disk))
                    .isInstanceOf(LockedException.class)
                    .hasMessageMatching("state directory .* is in use by pid "
                            + ProcessHandle.current().pid() + " on \\S+ since 2023-11-14T22:13:20Z");
        }
        client.close();

        Client.open(disk).close();
    }

    @Test
    void theRefusalOfASecondProcessNamesTheHolderOfTheLock() throws Exception {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        temp.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(other.inputReader().readLine()).isEqualTo("held");
            assertThatThrownBy(() -> Client.open(LocalDisk.at(temp)))
                    .isInstanceOf(LockedException.class)
                    .message()
                    .matches("state directory \\S+ is in use by pid " + other.pid()
                            + " on \\S+ since 2023-11-14T22:13:20Z");
        } finally {
            other.destroyForcibly().waitFor();
        }

        // The kernel has released the lock of the killed process.
        assertThat(Client.recovered(LocalDisk.at(temp))).isEmpty();
    }

    /** Holds the lock until it is killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws IOException {
            Closeable lock = LocalDisk.at(Path.of(args[0])).lock("lock", Client.CLOCK.instant());
            System.out.println("held");
            System.in.read();
            lock.close();
        }
    }

    @Test
    void aShorterLockFileReplacesALongerOne() throws IOException {
        Files.writeString(temp.resolve("lock"), "x".repeat(200));
        try (Closeable lock = LocalDisk.at(temp).lock("lock", Instant.EPOCH)) {
            assertThat(lock).isNotNull();
            assertThat(Files.readString(temp.resolve("lock")))
                    .startsWith("pid ")
                    .endsWith("1970-01-01T00:00:00Z\n");
        }
    }

    @Test
    void linkedIsTrueOnlyWhileTheNameRefersToTheFile() throws IOException {
        LocalDisk disk = LocalDisk.at(temp);
        disk.makeDirectory("journal");
        try (Disk.File file = disk.open("journal/a", Disk.Access.CREATE)) {
            assertThat(file.linked()).isTrue();
            file.write(ByteBuffer.wrap("abc".getBytes(StandardCharsets.UTF_8)), 0);
            Files.move(temp.resolve("journal"), temp.resolve("moved"));
            assertThat(file.linked()).isFalse();
            Files.createDirectory(temp.resolve("journal"));
            Files.createFile(temp.resolve("journal/a"));
            assertThat(file.linked()).isFalse();
        }
    }

    @Test
    void aListOmitsDirectoriesAndIsEmptyForAMissingDirectory() throws IOException {
        LocalDisk disk = LocalDisk.at(temp);
        Files.writeString(temp.resolve("b"), "12345");
        Files.writeString(temp.resolve("a"), "");
        Files.createDirectory(temp.resolve("c"));
        Files.createSymbolicLink(temp.resolve("d"), temp.resolve("nowhere"));

        assertThat(disk.list("").stream().map(Disk.Entry::name)).containsExactly("a", "b", "d");
        assertThat(disk.list("").get(1).size()).isEqualTo(5);
        assertThat(disk.list("nowhere")).isEmpty();
        assertThatThrownBy(() -> disk.open("nowhere", Disk.Access.READ)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> LocalDisk.existing(temp.resolve("nowhere"))).isInstanceOf(NoSuchFileException.class);
    }

    /** An operator moves a large segment to another disk and leaves a link: a start without its events would lose changes. */
    @Test
    void aSegmentThatIsASymbolicLinkIsRefused() throws IOException {
        Path state = temp.resolve("state");
        Client client = Client.open(LocalDisk.at(state));
        client.submit("a");
        client.settle();
        client.snapshot();
        client.submit("b");
        client.close();
        Path last = state.resolve("journal/0000000000000002.log");
        Files.move(last, temp.resolve("moved"));
        Files.createSymbolicLink(last, temp.resolve("moved"));

        assertThatThrownBy(() -> Client.recovered(LocalDisk.at(state)))
                .hasMessage(last + ": a symbolic link, which is not followed here");
        assertThat(temp.resolve("moved")).isRegularFile();
    }

    /** The journal writes no file to a directory that replaced the original one, and the error has the reason. */
    @Test
    void aDirectoryThatReplacedTheStateDirectoryIsNotWrittenTo() throws IOException {
        Path state = temp.resolve("state");
        Client client = Client.open(LocalDisk.at(state));
        client.submit("a");
        client.settle();
        Files.move(state, temp.resolve("moved"));
        Files.createDirectories(state.resolve("journal"));
        client.submit("b");
        client.snapshot();
        client.settle();
        client.close();

        assertThat(client.refused).containsExactly("b");
        assertThat(client.journal().status().condition()).isEqualTo(Condition.CLOSED);
        assertThat(client.conditions.get(0).reason())
                .isEqualTo("the state directory " + state + " is no longer the one that was opened: it was removed or"
                        + " replaced. Put the original back, or restart the daemon");
        assertThat(client.outcomes.get(2).reason())
                .startsWith("the snapshot at seq 1 cannot be written: the state directory");
        try (var files = Files.walk(state)) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        }
        assertThat(Client.recovered(LocalDisk.at(temp.resolve("moved")))).containsExactly("1 a");
    }

    @Test
    void aStateDirectoryThatIsMovedBackIsWrittenToAgain() throws IOException {
        Path state = temp.resolve("state");
        Client client = Client.open(LocalDisk.at(state));
        Files.move(state, temp.resolve("moved"));
        client.journal().probe();
        client.settle();
        assertThat(client.journal().status().condition()).isEqualTo(Condition.READ_ONLY);
        Files.move(temp.resolve("moved"), state);
        client.journal().probe();
        client.settle();
        assertThat(client.journal().status().condition()).isEqualTo(Condition.WRITABLE);
        client.submit("a");
        client.close();
        assertThat(Client.recovered(LocalDisk.at(state))).containsExactly("1 a");
    }

    @Test
    void aJournalWhoseLockFileWasReplacedWritesNothing() throws IOException {
        Client client = Client.open(LocalDisk.at(temp));
        client.submit("a");
        client.settle();
        Files.delete(temp.resolve("lock"));
        Files.createFile(temp.resolve("lock"));
        client.submit("b");
        client.snapshot();
        client.settle();
        client.close();

        assertThat(client.refused).containsExactly("b");
        assertThat(client.conditions.get(0).reason())
                .isEqualTo("the lock file " + temp.toRealPath().resolve("lock") + " was removed or replaced, so another"
                        + " daemon may use the state directory. Make sure that none does, and restart this one");
        assertThat(temp.resolve("snapshot.json")).doesNotExist();
        assertThat(Client.recovered(LocalDisk.at(temp))).containsExactly("1 a");
    }

    @Test
    void symbolicLinksAreNotFollowed() throws IOException {
        Path precious = Files.writeString(temp.resolve("precious"), "precious");
        Path state = Files.createDirectory(temp.resolve("state"));
        LocalDisk disk = LocalDisk.at(state);
        for (String name : List.of("lock", "retention", "journal", "snapshot.json", "snapshot.json.tmp")) {
            Files.createSymbolicLink(state.resolve(name), precious);
        }
        String refused = ": a symbolic link, which is not followed here";
        assertThatThrownBy(() -> disk.lock("lock", Instant.EPOCH)).hasMessage(state.resolve("lock") + refused);
        assertThatThrownBy(() -> disk.alone("retention")).hasMessage(state.resolve("retention") + refused);
        assertThatThrownBy(() -> disk.share("retention")).hasMessage(state.resolve("retention") + refused);
        assertThatThrownBy(() -> disk.makeDirectory("journal")).hasMessage(state.resolve("journal") + refused);
        assertThatThrownBy(() -> disk.list("journal")).hasMessage(state.resolve("journal") + refused);
        assertThatThrownBy(() -> disk.open("journal/x", Disk.Access.CREATE))
                .hasMessage(state.resolve("journal/x") + refused);
        assertThatThrownBy(() -> disk.open("snapshot.json", Disk.Access.WRITE))
                .hasMessage(state.resolve("snapshot.json") + refused);
        disk.open("snapshot.json.tmp", Disk.Access.CREATE).close();
        assertThat(state.resolve("snapshot.json.tmp")).isRegularFile().isEmptyFile();
        assertThat(precious).hasContent("precious");
        Files.delete(state.resolve("lock"));
        assertThat(new ProcessBuilder("mkfifo", state.resolve("lock").toString()))
                .extracting(LocalDiskTest::run)
                .isEqualTo(0);
        assertThatThrownBy(() -> disk.lock("lock", Instant.EPOCH))
                .hasMessage(state.resolve("lock") + ": not a plain file");
    }

    private static int run(ProcessBuilder command) {
        try {
            return command.inheritIO().start().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Root repairs a directory that belongs to the user of the daemon, whose daemon must then be able to start. */
    @Test
    void newFilesBelongToTheOwnerOfTheDirectory() throws IOException {
        int owner = isRoot() ? 4711 : (Integer) Files.getAttribute(temp, "unix:uid");
        Client client = Client.open(LocalDisk.at(temp.resolve("state")));
        client.submit("a");
        client.settle();
        client.snapshot();
        client.submit("b");
        client.close();
        try (var files = Files.walk(temp.resolve("state"))) {
            for (Path file : files.toList()) {
                Files.setAttribute(file, "unix:uid", owner);
            }
        }
        Files.delete(temp.resolve("state/lock"));
        Files.writeString(temp.resolve("state/snapshot.json"), "damaged");
        Path segment = temp.resolve("state/journal/0000000000000002.log");
        Files.writeString(segment, Files.readString(segment) + "damaged\n");
        JournalRepair.repair(LocalDisk.existing(temp.resolve("state")), Client.CLOCK, false, bytes -> {});

        try (var files = Files.walk(temp.resolve("state"))) {
            assertThat(files.toList())
                    .hasSizeGreaterThan(6)
                    .allSatisfy(file -> assertThat(Files.getAttribute(file, "unix:uid"))
                            .as(file.toString())
                            .isEqualTo(owner));
        }
    }

    private static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"000", "022", "077", "277"})
    void filesAreAccessibleOnlyToTheirOwnerRegardlessOfTheUmask(String umask) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path state = temp.resolve("a/state");
        ProcessBuilder writer = new ProcessBuilder(
                "sh",
                "-c",
                "umask " + umask + "; exec \"$@\"",
                "sh",
                java,
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                state.toString(),
                temp.resolve("copy").toString());
        assertThat(run(writer)).isZero();
        for (Path top : List.of(temp.resolve("a"), temp.resolve("copy"))) {
            try (var files = Files.walk(top)) {
                List<Path> all = files.toList();
                assertThat(all)
                        .hasSizeGreaterThan(4)
                        .allSatisfy(
                                file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                                        .as(file.toString())
                                        .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------"));
            }
        }
        assertThat(state.resolve("quarantine")).isNotEmptyDirectory();
    }

    /** Creates every kind of file. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws IOException {
            LocalDisk disk = LocalDisk.at(Path.of(args[0]));
            Client client = Client.open(disk);
            client.submit("a");
            client.settle();
            client.snapshot();
            client.submit("b");
            client.settle();
            client.snapshot();
            client.submit("c");
            client.close();
            Path segment = Path.of(args[0], "journal/0000000000000003.log");
            Files.writeString(segment, Files.readString(segment) + "damaged\n");
            JournalRepair.repair(disk, Client.CLOCK, false, bytes -> {});
            JournalCopy.backup(disk, LocalDisk.at(Path.of(args[1])), Instant.EPOCH, bytes -> {});
        }
    }

    @Test
    void rootRefusesAStateDirectoryThatOtherUsersCanReplaceOrWriteTo() throws IOException {
        Path state = Files.createDirectory(temp.resolve("state"));
        Path link = Files.createSymbolicLink(temp.resolve("link"), state);
        assertThatThrownBy(() -> LocalDisk.serving(link, 0))
                .hasMessage("root does not serve from the state directory " + link + ", which is a symbolic link that"
                        + " somebody may replace: set muster.state-dir to " + state.toRealPath());
        assertThat(LocalDisk.serving(link, 4711).where())
                .isEqualTo(state.toRealPath().toString());
        if (isRoot()) {
            assertThat(LocalDisk.serving(state, 0).where())
                    .isEqualTo(state.toRealPath().toString());
            Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxrwx---"));
            assertThatThrownBy(() -> LocalDisk.serving(state, 0))
                    .hasMessage("root does not serve from the state directory " + state
                            + ", to which users other than root can write: `chmod go-w " + state
                            + "`, or run the daemon as another user, `runuser -u muster -- muster serve`");
            Files.setAttribute(state, "unix:uid", 4711);
        }
        String owner = Files.getOwner(state).getName();
        assertThatThrownBy(() -> LocalDisk.serving(state, 0))
                .hasMessage("root does not serve from the state directory " + state + ", which belongs to " + owner
                        + ": run the daemon as that user, `runuser -u " + owner + " -- muster serve`");
    }

    @Test
    void aReadEndsAtTheEndOfTheFile() throws IOException {
        LocalDisk disk = LocalDisk.at(temp);
        Files.writeString(temp.resolve("a"), "12345");
        try (Disk.File file = disk.open("a", Disk.Access.READ)) {
            ByteBuffer buffer = ByteBuffer.allocate(10);
            file.read(buffer, 2);
            assertThat(buffer.position()).isEqualTo(3);
            assertThat(file.size()).isEqualTo(5);
        }
    }
}
