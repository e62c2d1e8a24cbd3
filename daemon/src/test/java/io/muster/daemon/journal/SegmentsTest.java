package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.ledger.Outcome;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentsTest {
    private static final Duration DAY = Duration.ofDays(1);
    private final MemoryDisk disk = new MemoryDisk();

    @Test
    void aSegmentThatReachesTheSizeIsFollowedByANewOne() throws IOException {
        Client client = Client.open(disk, new JournalSettings(320, DAY, 0));
        for (int i = 0; i < 7; i++) {
            client.submit("n" + i);
            client.settle();
        }
        client.close();

        assertThat(segments()).containsExactly(1L, 4L, 7L);
        assertThat(Client.recovered(disk)).hasSize(7);
    }

    @Test
    void aSnapshotBeginsANewSegmentUnlessTheOneInUseIsEmpty() throws IOException {
        Client client = Client.open(disk);
        client.snapshot();
        client.settle();
        assertThat(segments()).containsExactly(1L);
        client.submit("a");
        client.settle();
        client.snapshot();
        client.snapshot();
        client.close();

        assertThat(segments()).containsExactly(1L, 2L);
    }

    @Test
    void historyIsDeletedByAgeExceptSegmentsThatTheLastTwoSnapshotsNeed() throws IOException {
        Client client = Client.open(disk, new JournalSettings(1 << 20, DAY, Long.MAX_VALUE));
        snapshots(client, 3);
        assertThat(segments()).containsExactly(1L, 2L, 3L, 4L);
        client.close();
        disk.modified.replaceAll((name, time) -> Client.CLOCK.instant());
        InstantSource later = InstantSource.fixed(Client.CLOCK.instant().plus(DAY));
        client = Client.open(disk, new JournalSettings(1 << 20, DAY, Long.MAX_VALUE), later);
        snapshots(client, 1);
        client.close();

        assertThat(segments()).containsExactly(4L, 5L);
        assertThat(client.cut).isZero();
        assertThat(Client.recovered(disk)).containsExactly("1 a", "2 a", "3 a", "4 a");
    }

    @Test
    void noHistoryIsDeletedForItsAgeWhileTheClockIsDoubted() throws IOException {
        boolean[] doubted = {true};
        Client client = Client.open(
                disk, new JournalSettings(1 << 20, Duration.ZERO, Long.MAX_VALUE, () -> doubted[0], Duration.ZERO));
        snapshots(client, 4);
        assertThat(segments()).containsExactly(1L, 2L, 3L, 4L, 5L);
        doubted[0] = false;
        snapshots(client, 1);
        client.close();
        assertThat(segments()).containsExactly(5L, 6L);
    }

    /** The file system sets modification times from the wall clock, which may have been wrong when a segment was last written. */
    @Test
    void theAgeOfASegmentIsComputedFromTheHeadOfTheNextOne() throws IOException {
        Client client = Client.open(disk, new JournalSettings(1 << 20, DAY, Long.MAX_VALUE));
        snapshots(client, 3);
        disk.modified.replaceAll((name, time) -> Instant.EPOCH);
        snapshots(client, 1);
        client.close();
        assertThat(segments()).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void historyBeyondTheSizeIsDeletedFromTheOldestSegmentOn() throws IOException {
        long each = 200;
        Client client = Client.open(disk, new JournalSettings(1 << 20, DAY, 5 * each));
        snapshots(client, 10);
        client.close();

        List<Long> kept = segments();
        assertThat(kept).endsWith(9L, 10L, 11L).hasSizeBetween(4, 8);
        assertThat(client.cut).as("each was deleted before it was old").isEqualTo((int) (kept.get(0) - 1));
        assertThat(client.warnings)
                .as("one warning an hour")
                .singleElement()
                .asString()
                .startsWith("history is deleted because its files are larger than muster.history-size (1000 bytes),"
                        + " although it is younger than resource.history: it begins at ");
        assertThat(Segment.list(disk).stream().mapToLong(Segment::size).sum()).isLessThanOrEqualTo(5 * each);
    }

    @Test
    void aFailureToDeleteHistoryIsAWarning() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        Client client = Client.open(faulty, new JournalSettings(1 << 20, Duration.ZERO, 0));
        faulty.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.DELETE) {
                throw FaultyDisk.broken();
            }
            return -1;
        });
        snapshots(client, 3);
        client.close();

        assertThat(client.outcomes).allMatch(Outcome::durable);
        assertThat(client.warnings).contains("old journal segments could not be deleted: Input/output error");
    }

    @Test
    void aBackupThatBlocksTheDeletionOfHistoryForAnHourIsOneWarning() throws IOException {
        Instant[] now = {Client.CLOCK.instant()};
        Client client = Client.open(disk, new JournalSettings(1 << 20, Duration.ZERO, 0), () -> now[0]);
        try (Closeable copy = disk.share(Log.RETENTION)) {
            assertThat(copy).isNotNull();
            snapshots(client, 3);
            now[0] = now[0].plusSeconds(3599);
            snapshots(client, 1);
            assertThat(client.warnings).isEmpty();
            now[0] = now[0].plusSeconds(1);
            snapshots(client, 3);
        }
        assertThat(segments()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
        assertThat(client.warnings)
                .singleElement()
                .asString()
                .matches("since 2023-11-14T22:13:20Z a copy that locks the file retention keeps 4 old journal segments"
                        + " of \\d+ bytes from being deleted: look for a `muster journal backup` that hangs,"
                        + " and end it");
        snapshots(client, 1);
        client.close();
        assertThat(segments()).containsExactly(8L, 9L);
        assertThat(client.warnings).hasSize(1);
    }

    /** Only the deletion of old segments frees the space for the snapshot of the month. */
    @Test
    void theMonthlySnapshotIsKeptAfterOldSegmentsAreDeletedFromAFullDisk() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        Client client = Client.open(faulty, new JournalSettings(1 << 20, Duration.ZERO, 0));
        String kept = SnapshotFile.kept(Client.CLOCK.instant());
        faulty.fault((kind, name) -> {
            boolean full = disk.names.containsKey(Segment.name(1));
            return full && kind == FaultyDisk.Kind.WRITE && name.startsWith(kept) ? 10 : -1;
        });
        snapshots(client, 1);
        assertThat(client.warnings)
                .containsExactly(
                        "the snapshot for the history of this month could not be kept: No space left on device");
        assertThat(disk.names).doesNotContainKeys(kept, kept + Segment.UNFINISHED);
        snapshots(client, 1);
        client.close();
        assertThat(client.warnings).hasSize(1);
        assertThat(disk.names).containsKey(kept).doesNotContainKeys(Segment.name(1), kept + Segment.UNFINISHED);
    }

    /** Without file descriptors, no directory can be forced either. */
    @Test
    void aFailureToBeginASegmentIsAWarning() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        Client client = Client.open(faulty, new JournalSettings(200, DAY, 0));
        faulty.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.OPEN || kind == FaultyDisk.Kind.FORCE_DIRECTORY) {
                throw FaultyDisk.full();
            }
            return -1;
        });
        for (int i = 0; i < 4; i++) {
            client.submit("n" + i);
            client.settle();
        }
        client.close();

        assertThat(client.outcomes).hasSize(4).allMatch(Outcome::durable);
        assertThat(client.warnings.get(0))
                .isEqualTo(
                        "a new journal segment could not be begun; the journal continues in journal/0000000000000001.log:"
                                + " No space left on device");
        assertThat(client.warnings).hasSizeLessThan(4);
    }

    @Test
    void filesThatAreNotSegmentsAreNotDeleted() throws IOException {
        disk.set("journal/README", new byte[0]);
        disk.set("journal/12.log", new byte[0]);
        disk.set("journal/00000000000000ab.log", new byte[0]);
        Client client = Client.open(disk, new JournalSettings(1 << 20, Duration.ZERO, 0));
        snapshots(client, 3);
        client.close();

        assertThat(disk.names).containsKeys("journal/README", "journal/12.log", "journal/00000000000000ab.log");
    }

    @Test
    void invalidSettingsAreRefused() {
        assertThatThrownBy(() -> new JournalSettings(0, DAY, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new JournalSettings(1, DAY.negated(), 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new JournalSettings(1, DAY, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void snapshots(Client client, int count) {
        for (int i = 0; i < count; i++) {
            client.submit("a");
            client.settle();
            client.snapshot();
            client.settle();
        }
    }

    private List<Long> segments() throws IOException {
        return Segment.list(disk).stream().map(Segment::first).toList();
    }
}
