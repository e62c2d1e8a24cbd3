package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.journal.disk.LockedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
                    .containsExactlyInAnyOrder("lock", "snapshot.json", "journal");
        }
    }

    @Test
    void aSecondJournalInThisProcessIsToldWhoHasTheDirectory() throws IOException {
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
    void aSecondProcessIsToldWhoHasTheDirectory() throws Exception {
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
                    .isInstanceOfSatisfying(
                            LockedException.class,
                            e -> assertThat(e.holder())
                                    .matches("pid " + other.pid() + " on \\S+ since 2023-11-14T22:13:20Z"));
        } finally {
            other.destroyForcibly().waitFor();
        }

        // The kernel lets go of a killed process's lock.
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
    void aShorterHolderReplacesALongerOne() throws IOException {
        Files.writeString(temp.resolve("lock"), "x".repeat(200));
        try (Closeable lock = LocalDisk.at(temp).lock("lock", Instant.EPOCH)) {
            assertThat(lock).isNotNull();
            assertThat(Files.readString(temp.resolve("lock")))
                    .startsWith("pid ")
                    .endsWith("1970-01-01T00:00:00Z\n");
        }
    }

    @Test
    void aFileKnowsWhetherItsNameStillLeadsToIt() throws IOException {
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
    void listingSeesPlainFilesOnlyAndNoneInADirectoryThatIsNotThere() throws IOException {
        LocalDisk disk = LocalDisk.at(temp);
        Files.writeString(temp.resolve("b"), "12345");
        Files.writeString(temp.resolve("a"), "");
        Files.createDirectory(temp.resolve("c"));

        assertThat(disk.list("").stream().map(entry -> entry.name() + " " + entry.size()))
                .containsExactly("a 0", "b 5");
        assertThat(disk.list("nowhere")).isEmpty();
        assertThatThrownBy(() -> disk.open("nowhere", Disk.Access.READ)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> LocalDisk.existing(temp.resolve("nowhere"))).isInstanceOf(NoSuchFileException.class);
    }

    /** A link that leads nowhere is listed by its name, and then is not there, as a file that another process renames. */
    @Test
    void whatIsGoneWhenItIsLookedAtIsNotListed() throws IOException {
        LocalDisk disk = LocalDisk.at(temp);
        Files.writeString(temp.resolve("b"), "12345");
        Files.createSymbolicLink(temp.resolve("a"), temp.resolve("nowhere"));

        assertThat(disk.list("").stream().map(Disk.Entry::name)).containsExactly("b");
    }

    @Test
    void readingEndsWithTheFile() throws IOException {
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
