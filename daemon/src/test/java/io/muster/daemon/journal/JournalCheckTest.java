package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.journal.disk.LockedException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of verify, repair and dump. */
class JournalCheckTest {
    private final MemoryDisk disk = new MemoryDisk();

    /** Writes three segments with seq 1-4, 5-6 and 7-8, and snapshots at 4 and 6. */
    @BeforeEach
    void record() throws IOException {
        Client client = Client.open(disk);
        client.submit("a");
        client.settle();
        client.submit("b", "c");
        client.submit("d");
        client.settle();
        client.snapshot();
        client.submit("e");
        client.settle();
        client.submit("f");
        client.settle();
        client.snapshot();
        client.submit("g");
        client.settle();
        client.submit("h");
        client.close();
    }

    @Test
    void anIntactDirectoryHasNoFindings() throws IOException {
        List<Long> progress = new ArrayList<>();
        JournalCheck.CheckResult report = JournalCheck.verify(disk, progress::add);

        assertThat(report).isEqualTo(new JournalCheck.CheckResult(List.of(), 3, 8, 1, 8, 6));
        assertThat(report.startable()).isTrue();
        assertThat(progress).hasSize(3).isSorted().endsWith(total());
        assertThat(repair(true)).isEqualTo(new JournalRepair.RepairResult(List.of(), 0, 8));
    }

    @Test
    void damageInHistoryIsReportedAndNotRepaired() throws IOException {
        damage(1, 3);
        damage(1, 4);

        assertThat(findings())
                .containsExactly(
                        "HISTORY journal/0000000000000001.log line 3 (byte 210): the checksum does not match",
                        "HISTORY journal/0000000000000001.log line 4 (byte 313): the checksum does not match");
        assertThat(repair(false).actions()).isEmpty();
        assertThat(Client.recovered(disk)).hasSize(8);
    }

    @Test
    void aTornTailIsReportedAndCutByRepair() throws IOException {
        cut(7, 10);
        assertThat(findings())
                .containsExactly("TORN journal/0000000000000007.log line 3 (byte 210): the line is not complete");
        assertThat(JournalCheck.verify(disk, bytes -> {}).startable()).isTrue();

        JournalRepair.RepairResult report = repair(false);
        assertThat(report.lost()).isZero();
        assertThat(report.lastSeq()).isEqualTo(7);
        assertThat(findings()).isEmpty();
        assertThat(Client.recovered(disk)).hasSize(7);
    }

    @Test
    void repairKeepsTheEventsBeforeDamageAfterTheSnapshot() throws IOException {
        byte[] before = disk.content(Segment.name(7)).clone();
        damage(7, 2);
        assertThat(findings())
                .containsExactly("DAMAGE journal/0000000000000007.log line 2 (byte 116): the checksum does not match");
        assertThatThrownBy(() -> Client.recovered(disk)).isInstanceOf(CorruptException.class);
        byte[] damaged = disk.content(Segment.name(7)).clone();

        JournalRepair.RepairResult planned = repair(true);
        assertThat(disk.content(Segment.name(7))).isEqualTo(damaged);
        JournalRepair.RepairResult done = repair(false);
        assertThat(done).isEqualTo(planned);
        assertThat(done.actions())
                .containsExactly(
                        "write journal/0000000000000007.log again with its intact events, up to seq 6,"
                                + " and keep the damaged file in quarantine; the damaged events are lost, and 1 intact event after it");
        assertThat(disk.content("quarantine/0000000000000007.log.from-byte-0.1.broken"))
                .isEqualTo(damaged)
                .isNotEqualTo(before);
        assertThat(findings()).isEmpty();
        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b", "3 c", "4 d", "5 e", "6 f");
    }

    @Test
    void repairOfDamageBeforeTheSnapshotLosesNoEvent() throws IOException {
        disk.delete(Segment.name(7));
        disk.delete(Segment.name(5));
        disk.rename(SnapshotFile.PREVIOUS, SnapshotFile.FILE);
        Client client = Client.open(disk);
        client.submit("e", "f");
        client.close();
        damage(1, 2);
        assertThat(findings())
                .containsExactly("DAMAGE journal/0000000000000001.log line 2 (byte 116): the checksum does not match");

        JournalRepair.RepairResult report = repair(false);
        assertThat(report.lost()).isZero();
        assertThat(report.lastSeq()).isEqualTo(6);
        assertThat(disk.names).containsKey(Segment.name(5)).doesNotContainKey(Segment.name(1));
        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b", "3 c", "4 d", "5 e", "6 f");
    }

    @Test
    void aDamagedHeadIsWrittenAgain() throws IOException {
        damage(7, 1);
        assertThat(findings())
                .containsExactly(
                        "DAMAGE journal/0000000000000007.log line 1 (byte 0): the head of the segment is damaged");

        assertThat(repair(false).lost()).isZero();
        assertThat(Client.recovered(disk)).hasSize(8);
    }

    @Test
    void repairAfterAMissingSegmentDropsTheEventsAfterIt() throws IOException {
        disk.rename(SnapshotFile.PREVIOUS, SnapshotFile.FILE);
        disk.delete(Segment.name(5));
        assertThat(findings())
                .containsExactly("DAMAGE journal/0000000000000001.log: it ends with seq 4 and the next segment begins"
                        + " with 7");

        JournalRepair.RepairResult report = repair(false);
        assertThat(report.actions())
                .containsExactly("move journal/0000000000000007.log to quarantine: it does not follow seq 4");
        assertThat(report.lost()).isEqualTo(2);
        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b", "3 c", "4 d");
    }

    @Test
    void aDamagedSnapshotIsReplacedByThePreviousOneWithoutLoss() throws IOException {
        disk.content(SnapshotFile.FILE)[30] ^= 1;
        assertThat(findings()).containsExactly("DAMAGE snapshot.json: the checksum does not match");

        JournalRepair.RepairResult report = repair(false);
        assertThat(report.actions())
                .containsExactly(
                        "move snapshot.json to quarantine (the checksum does not match)",
                        "go back to the snapshot at seq 4");
        assertThat(report.lost()).isZero();
        assertThat(Client.recovered(disk)).hasSize(8);
        assertThat(disk.names).containsKey("quarantine/snapshot.json.1.broken");
    }

    /** An interrupted repair leaves the same state. */
    @Test
    void aMissingSnapshotIsReplacedByThePreviousOne() throws IOException {
        disk.delete(SnapshotFile.FILE);
        disk.delete(Segment.name(1));
        assertThatThrownBy(() -> Client.recovered(disk.copy()))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("there is no snapshot and the journal begins with seq 5");
        assertThat(findings())
                .containsExactly("DAMAGE journal/0000000000000005.log: it begins after the snapshot's seq 0");

        assertThat(repair(false).actions()).containsExactly("go back to the snapshot at seq 4");
        assertThat(Client.recovered(disk)).hasSize(8);
    }

    @Test
    void aPreviousSnapshotWithoutAJournalIsRefusedByStartAndRepair() throws IOException {
        disk.delete(SnapshotFile.FILE);
        Segment.list(disk).forEach(segment -> disk.delete(segment.name()));
        assertThatThrownBy(() -> Client.recovered(disk))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("snapshot.json: it is missing, although the previous snapshot exists");
        assertThat(findings())
                .containsExactly("DAMAGE snapshot.json: it is missing, although the previous snapshot exists");
        assertThatThrownBy(() -> repair(false))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("snapshot.json: it is missing, and the journal does not go back to the previous"
                        + " snapshot: restore a backup;");
    }

    @Test
    void withoutAnySnapshotTheWholeJournalIsReplayed() throws IOException {
        disk.content(SnapshotFile.FILE)[30] ^= 1;
        disk.delete(SnapshotFile.PREVIOUS);

        assertThat(repair(false).actions()).endsWith("replay the journal from its beginning");
        assertThat(Client.recovered(disk)).hasSize(8);
    }

    @Test
    void repairRefusesIfOnlyABackupHelps() throws IOException {
        disk.content(SnapshotFile.FILE)[30] ^= 1;
        disk.delete(SnapshotFile.PREVIOUS);
        disk.delete(Segment.name(1));

        assertThatThrownBy(() -> repair(false))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("snapshot.json: the checksum does not match, and the journal does not go back"
                        + " to the beginning: restore a backup;");
    }

    @Test
    void repairAddsASegmentToAJournalThatEndsBeforeTheSnapshot() throws IOException {
        disk.delete(Segment.name(7));
        cut(5, 10);
        assertThat(findings())
                .containsExactly(
                        "TORN journal/0000000000000005.log line 3 (byte 210): the line is not complete",
                        "DAMAGE journal/0000000000000005.log: it ends with seq 5 and the snapshot holds seq 6");

        assertThat(repair(false).lastSeq()).isEqualTo(6);
        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b", "3 c", "4 d", "5 e", "6 f");
    }

    @Test
    void afterDamageToAnyByteRepairKeepsEveryEventBeforeTheSnapshot() throws IOException {
        for (String name : List.of(Segment.name(1), Segment.name(5), Segment.name(7), SnapshotFile.FILE)) {
            int size = disk.content(name).length;
            for (int at = 0; at < size; at++) {
                MemoryDisk left = disk.copy();
                left.content(name)[at] ^= 4;
                JournalRepair.repair(left, Client.CLOCK, false, bytes -> {});
                assertThat(JournalCheck.verify(left, bytes -> {}).startable())
                        .as("%s byte %d", name, at)
                        .isTrue();
                assertThat(Client.recovered(left))
                        .as("%s byte %d", name, at)
                        .startsWith("1 a", "2 b", "3 c", "4 d", "5 e", "6 f")
                        .hasSizeLessThanOrEqualTo(8);
            }
        }
    }

    @Test
    void temporaryFilesAreReportedAsNotes() throws IOException {
        disk.set("snapshot.json.tmp", new byte[1]);
        disk.set("journal/0000000000000009.log.tmp", new byte[1]);

        assertThat(findings())
                .containsExactly(
                        "NOTE snapshot.json.tmp: left over from a crash; the next start deletes it",
                        "NOTE journal/0000000000000009.log.tmp: left over from a crash; the next start deletes it");
    }

    /** Returns a disk on which the oldest segment disappears before it is read, for a number of times, as if a daemon had deleted it. */
    private FaultyDisk deleting(int times) {
        int[] left = {times};
        return new FaultyDisk(disk, (kind, name) -> {
            if (kind == FaultyDisk.Kind.READ && name.equals(Segment.name(1)) && left[0]-- > 0) {
                throw new NoSuchFileException(name);
            }
            return -1;
        });
    }

    @Test
    void aSegmentThatIsDeletedDuringVerifyIsNotReportedAsDamage() throws IOException {
        assertThat(JournalCheck.verify(deleting(4), bytes -> {}))
                .isEqualTo(new JournalCheck.CheckResult(List.of(), 3, 8, 1, 8, 6));
        assertThatThrownBy(() -> JournalCheck.verify(deleting(5), bytes -> {}))
                .as("not without end")
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void anIncompleteLineThatADaemonCompletesIsNotATornTail() throws IOException {
        byte[] whole = disk.content(Segment.name(7));
        cut(7, 10);
        boolean[] read = {false};
        FaultyDisk written = new FaultyDisk(disk, (kind, name) -> {
            read[0] |= kind == FaultyDisk.Kind.READ && name.equals(Segment.name(7));
            if (read[0] && kind == FaultyDisk.Kind.LIST) {
                disk.set(Segment.name(7), whole);
            }
            return -1;
        });
        assertThat(JournalCheck.verify(written, bytes -> {}).findings()).isEmpty();
    }

    @Test
    void aDumpSkipsASegmentThatIsDeletedDuringTheDump() throws IOException {
        List<String> seen = new ArrayList<>();
        try (JournalDump dump = JournalDump.open(deleting(1), JournalDump.Range.ALL, damage -> {})) {
            for (JournalRecord event = dump.next(); event != null; event = dump.next()) {
                seen.add(event.name());
            }
        }
        assertThat(seen).containsExactly("e", "f", "g", "h");
    }

    @Test
    void repairRefusesTheDirectoryOfARunningDaemon() throws IOException {
        Client running = Client.open(disk);
        assertThatThrownBy(() -> repair(false)).isInstanceOf(LockedException.class);
        running.close();
    }

    @Test
    void aDumpIncludesHistory() throws IOException {
        assertThat(dump(JournalDump.Range.ALL)).containsExactly("1 a", "2 b", "3 c", "4 d", "5 e", "6 f", "7 g", "8 h");
    }

    @Test
    void aDumpCanBeLimitedToARangeOfSeqsOrTimes() throws IOException {
        assertThat(dump(new JournalDump.Range(4, 7, 0, Double.MAX_VALUE))).containsExactly("4 d", "5 e", "6 f", "7 g");
        assertThat(dump(new JournalDump.Range(1, 8, 1700000000.2, Double.MAX_VALUE)))
                .isEmpty();
        assertThat(dump(new JournalDump.Range(1, 8, 0, 1700000000.1))).isEmpty();
        assertThat(dump(new JournalDump.Range(1, 2, 1700000000.1, 1700000000.2)))
                .containsExactly("1 a", "2 b");
    }

    @Test
    void aDumpContinuesAfterDamageAndEndsAtAnIncompleteLine() throws IOException {
        damage(5, 2);
        cut(7, 10);
        List<String> damaged = new ArrayList<>();
        try (JournalDump dump =
                JournalDump.open(disk, JournalDump.Range.ALL, damage -> damaged.add(damage.file() + damage.line()))) {
            List<String> seen = new ArrayList<>();
            for (JournalRecord event = dump.next(); event != null; event = dump.next()) {
                seen.add(event.name());
            }
            assertThat(seen).containsExactly("a", "b", "c", "d", "f", "g");
            assertThat(dump.bytesRead()).isEqualTo(dump.totalBytes()).isEqualTo(total());
        }
        assertThat(damaged).containsExactly("journal/0000000000000005.log2");
    }

    @Test
    void anIntactEventAfterAMissingOneIsDumpedAndCountedAsLost() throws IOException {
        remove(1, 3);
        remove(7, 2);
        assertThat(dump(JournalDump.Range.ALL))
                .hasSize(8)
                .startsWith("1 a")
                .containsSubsequence("3 c", "4 d", "5 e", "6 f", "8 h")
                .anyMatch(item -> item.startsWith("journal/0000000000000001.log line 3 (byte 210): seq 3 follows 1;"));
        JournalRepair.RepairResult result = repair(false);
        assertThat(result.lost()).isEqualTo(1);
        assertThat(result.lastSeq()).isEqualTo(6);
    }

    private List<String> dump(JournalDump.Range range) throws IOException {
        List<String> seen = new ArrayList<>();
        try (JournalDump dump = JournalDump.open(disk, range, damage -> seen.add(damage.getMessage()))) {
            for (JournalRecord event = dump.next(); event != null; event = dump.next()) {
                seen.add(event.seq() + " " + event.name());
            }
        }
        return seen;
    }

    private List<String> findings() throws IOException {
        return JournalCheck.verify(disk, bytes -> {}).findings().stream()
                .map(JournalCheck.Finding::toString)
                .toList();
    }

    private JournalRepair.RepairResult repair(boolean dryRun) throws IOException {
        return JournalRepair.repair(disk, Client.CLOCK, dryRun, bytes -> {});
    }

    private long total() throws IOException {
        return Segment.list(disk).stream().mapToLong(Segment::size).sum();
    }

    private void damage(long segment, int line) {
        byte[] content = disk.content(Segment.name(segment));
        content[start(content, line) + 40] ^= 1;
    }

    private void remove(long segment, int line) {
        byte[] content = disk.content(Segment.name(segment));
        int start = start(content, line);
        int end = start(content, line + 1);
        byte[] left = Arrays.copyOf(content, content.length - (end - start));
        System.arraycopy(content, end, left, start, content.length - end);
        disk.set(Segment.name(segment), left);
    }

    private static int start(byte[] content, int line) {
        int at = 0;
        for (int i = 1; i < line; i++) {
            while (content[at] != '\n') {
                at++;
            }
            at++;
        }
        return at;
    }

    private void cut(long segment, int bytes) {
        byte[] content = disk.content(Segment.name(segment));
        disk.set(Segment.name(segment), Arrays.copyOf(content, content.length - bytes));
    }
}
