package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.journal.disk.LockedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalCopyTest {
    /** Settings that keep no history except the events that a start needs. */
    private static final JournalSettings TINY = new JournalSettings(300, Duration.ZERO, 0);

    @TempDir
    Path temp;

    private static Client written(Disk disk) throws IOException {
        Client client = Client.open(disk, TINY);
        client.submit("a", "b");
        client.settle();
        client.snapshot();
        client.submit("c");
        client.settle();
        client.snapshot();
        client.submit("d");
        client.settle();
        return client;
    }

    @Test
    void aBackupHasEveryAnsweredChangeAndNoIncompleteLine() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        Client client = written(disk);
        String last = "journal/0000000000000004.log";
        byte[] torn = (new String(disk.content(last), StandardCharsets.UTF_8) + "12345678 {\"se")
                .getBytes(StandardCharsets.UTF_8);
        MemoryDisk source = disk.copy();
        source.set(last, torn);
        MemoryDisk target = new MemoryDisk();
        JournalCopy.CopyResult report = JournalCopy.backup(source, target, Instant.EPOCH, bytes -> {});

        assertThat(report.lastSeq()).isEqualTo(4);
        assertThat(report.aside()).isEmpty();
        assertThat(target.content(last)).isEqualTo(disk.content(last));
        assertThat(JournalCheck.verify(target, bytes -> {}).findings()).isEmpty();
        assertThat(Client.recovered(target)).isEqualTo(client.durable);
        client.close();
    }

    @Test
    void historyIsNotDeletedDuringABackup() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        Client client = written(disk);
        int before = Segment.list(disk).size();
        try (Closeable copying = disk.share(Log.RETENTION)) {
            assertThat(copying).isNotNull();
            for (int i = 0; i < 3; i++) {
                client.submit("e" + i);
                client.settle();
                client.snapshot();
            }
            client.settle();
            assertThat(Segment.list(disk)).hasSize(before + 3);
        }
        client.submit("f");
        client.settle();
        client.snapshot();
        client.settle();
        assertThat(Segment.list(disk)).hasSizeLessThan(before + 3);
        assertThat(client.warnings).isEmpty();
        client.close();
    }

    /** An error of the disk, or the end of the process at any moment, interrupts the copy. */
    @Test
    void anInterruptedBackupOrRestoreIsRefusedAsUnfinished() throws IOException {
        MemoryDisk source = new MemoryDisk();
        Client client = written(source);
        client.close();
        MemoryDisk old = new MemoryDisk();
        Client before = Client.open(old);
        before.submit("old");
        before.close();

        for (boolean restore : new boolean[] {false, true}) {
            int failing = 0;
            boolean done = false;
            while (!done) {
                MemoryDisk memory = restore ? old.copy() : new MemoryDisk();
                AtomicInteger left = new AtomicInteger(failing);
                FaultyDisk target = new FaultyDisk(memory, (kind, name) -> {
                    if (left.getAndDecrement() <= 0) {
                        throw FaultyDisk.full();
                    }
                    return -1;
                });
                try {
                    if (restore) {
                        JournalCopy.restore(source, target, Instant.EPOCH, true, bytes -> {});
                    } else {
                        JournalCopy.backup(source, target, Instant.EPOCH, bytes -> {});
                    }
                    done = true;
                } catch (IOException full) {
                    assertThat(full).hasMessageContaining("No space left on device");
                }
                List<String> whole = restore ? List.of("1 old") : List.of();
                List<String> found = started(memory.copy());
                if (done) {
                    assertThat(found).isEqualTo(client.durable);
                } else if (!found.equals(client.durable)) {
                    assertThat(found).as("after %d operations", failing).isIn(whole, List.of("refused"));
                }
                failing++;
            }
            assertThat(failing).isGreaterThan(20);
        }
    }

    private static List<String> started(MemoryDisk disk) throws IOException {
        try {
            return Client.recovered(disk);
        } catch (CorruptException refused) {
            assertThat(refused)
                    .hasMessage("unfinished: a backup or a restore into /state has not finished; delete an unfinished"
                            + " backup, and repeat a restore with `muster restore --force`");
            assertThat(JournalCheck.verify(disk, bytes -> {}).startable()).isFalse();
            assertThatThrownBy(() -> JournalRepair.repair(disk, Client.CLOCK, false, bytes -> {}))
                    .hasMessage(refused.getMessage());
            return List.of("refused");
        }
    }

    @Test
    void aRestoreRefusesAnExistingStateUnlessForcedAndThenMovesItAside() throws IOException {
        LocalDisk source = LocalDisk.at(temp.resolve("backup"));
        written(source).close();
        LocalDisk target = LocalDisk.at(temp.resolve("state"));
        Client old = Client.open(target);
        assertThatThrownBy(() -> restore(source, target, true)).isInstanceOf(LockedException.class);
        old.submit("old");
        old.close();
        assertThatThrownBy(() -> restore(source, target, false)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(Client.recovered(target)).containsExactly("1 old");

        assertThat(restore(source, target, true).aside()).isEqualTo("replaced.1");
        assertThat(Client.recovered(target)).containsExactly("1 a", "2 b", "3 c", "4 d");
        LocalDisk aside = LocalDisk.existing(temp.resolve("state/replaced.1"));
        assertThat(restore(aside, target, true).aside()).isEqualTo("replaced.2");
        assertThat(Client.recovered(target)).containsExactly("1 old");
    }

    private static JournalCopy.CopyResult restore(Disk source, Disk target, boolean force) throws IOException {
        return JournalCopy.restore(source, target, Instant.EPOCH, force, bytes -> {});
    }

    @Test
    void aDamagedOrEmptyDirectoryIsNotCopied() throws IOException {
        MemoryDisk source = new MemoryDisk();
        MemoryDisk target = new MemoryDisk();
        assertThatThrownBy(() -> JournalCopy.backup(source, target, Instant.EPOCH, bytes -> {}))
                .hasMessage("/state holds no state to copy");
        written(source).close();
        byte[] flipped = source.content("journal/0000000000000004.log");
        flipped[flipped.length - 10] ^= 1;
        source.set("journal/0000000000000004.log", flipped);
        assertThatThrownBy(() -> restore(source, target, false)).hasMessageStartingWith("/state is damaged");
        assertThat(JournalCopy.isUnfinished(target)).isFalse();
        assertThatThrownBy(() -> JournalCopy.backup(source, target, Instant.EPOCH, bytes -> {}))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("journal/0000000000000004.log line 2");
        assertThat(JournalCopy.isUnfinished(target)).isTrue();
    }

    /** A write that the journal undoes after a disk error must not be in the copy, even if the copy had already read it. */
    @Test
    void aWriteThatIsUndoneDuringABackupIsNotInTheBackup() throws IOException {
        MemoryDisk memory = new MemoryDisk();
        Client client = written(memory);
        client.close();
        byte[] before = memory.content("journal/0000000000000004.log");
        AtomicBoolean once = new AtomicBoolean(true);
        FaultyDisk source = new FaultyDisk(memory, (kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE && once.getAndSet(false)) {
                int head = new String(before, StandardCharsets.UTF_8).indexOf('\n') + 1;
                memory.truncate(Objects.requireNonNull(memory.names.get(name)), head);
            }
            return -1;
        });
        MemoryDisk target = new MemoryDisk();
        assertThat(JournalCopy.backup(source, target, Instant.EPOCH, bytes -> {})
                        .lastSeq())
                .isEqualTo(3);
        assertThat(Client.recovered(target)).containsExactly("1 a", "2 b", "3 c");
    }

    @Test
    void backupsUnderLoadHaveEveryChangeAnsweredBefore() throws Exception {
        LocalDisk source = LocalDisk.at(temp.resolve("state"));
        Client client = Client.open(source, TINY);
        client.submit("first");
        client.settle();
        AtomicBoolean stop = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            for (int i = 0; !stop.get(); i++) {
                client.submit("e" + i);
                client.settle();
                client.snapshot();
            }
        });
        writer.start();
        try {
            for (int i = 0; i < 8; i++) {
                List<String> answered;
                synchronized (client) {
                    answered = new ArrayList<>(client.durable);
                }
                LocalDisk copy = LocalDisk.at(temp.resolve("copy" + i));
                JournalCopy.CopyResult report = JournalCopy.backup(source, copy, Instant.EPOCH, bytes -> {});
                List<String> recovered = Client.recovered(copy);
                assertThat(recovered)
                        .startsWith(answered.toArray(String[]::new))
                        .hasSize((int) report.lastSeq());
            }
        } finally {
            stop.set(true);
            writer.join();
        }
        client.close();
        // TINY keeps no history
        assertThat(client.warnings).allMatch(warning -> warning.startsWith("history is deleted because "));
    }
}
