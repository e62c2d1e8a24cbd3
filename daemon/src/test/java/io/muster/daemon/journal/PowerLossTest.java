package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Batch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The journal recovers from every state of the disk that {@link PowerLoss} builds from the order of writes and forces. */
@Tag("once")
class PowerLossTest {
    /** Settings with short segments, and with snapshots that delete old segments immediately. */
    private static final JournalSettings SMALL = new JournalSettings(400, Duration.ZERO, 0);

    private final MemoryDisk disk = new MemoryDisk();
    /** Every event by seq, in the order of submission. */
    private final List<String> submitted = new ArrayList<>();
    /** The last seq of each command. */
    private final Set<Integer> ends = new HashSet<>();

    @Test
    void everyStateDuringSingleChangesIsRecovered() throws IOException {
        Client client = Client.open(disk);
        one(client, "a");
        one(client, "b", "c", "d");
        one(client, "e");
        client.close();

        assertThat(new PowerLoss(disk, 1).run(this::check)).isGreaterThan(2000);
    }

    @Test
    void everyStateDuringAGroupOfChangesIsRecovered() throws IOException {
        CountDownLatch forcing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Client client = Client.open(disk);
        disk.mark("submitted", 6);
        client.journal().submit(new Batch(1, List.of(Client.event("a")), outcome -> {
            forcing.countDown();
            Client.await(release);
            disk.mark("acknowledged", 1);
        }));
        Client.await(forcing);
        submitted.add("1 a");
        ends.add(1);
        group(client, 2, "b", "c");
        group(client, 4, "d");
        group(client, 5, "e", "f");
        release.countDown();
        client.close();

        assertThat(new PowerLoss(disk, 1).run(this::check)).isGreaterThan(2000);
    }

    /** Each event is longer than half of the buffer of the journal, so several writes share one force. */
    @Test
    void everyStateDuringAChangeOfSeveralWritesIsRecovered() throws IOException {
        Client client = Client.open(disk);
        one(client, "a");
        one(client, "b".repeat(150_000), "c".repeat(150_000), "d".repeat(150_000));
        one(client, "e");
        client.close();

        assertThat(new PowerLoss(disk, 30_011).run(this::check)).isGreaterThan(150);
    }

    @Test
    void everyStateDuringSnapshotsAndDeletionOfSegmentsIsRecovered() throws IOException {
        Client client = Client.open(disk, SMALL);
        for (int i = 0; i < 6; i++) {
            one(client, "x" + i, "y" + i);
            one(client, "z" + i);
            if (i % 2 == 1) {
                client.snapshot();
                client.settle();
            }
        }
        client.close();
        assertThat(disk.names).doesNotContainKey(Segment.name(1));

        assertThat(new PowerLoss(disk, 7).run(this::check)).isGreaterThan(2000);
    }

    @Test
    void everyStateDuringTheRecoveryOfATornTailIsRecovered() throws IOException {
        Client client = Client.open(disk);
        one(client, "a");
        one(client, "b", "c");
        client.close();
        byte[] whole = disk.content(Segment.name(1));
        MemoryDisk torn = new MemoryDisk();
        torn.open(Segment.name(1), Disk.Access.CREATE).write(java.nio.ByteBuffer.wrap(whole, 0, whole.length - 20), 0);
        torn.open(Segment.name(1), Disk.Access.WRITE).force(true);
        torn.forceDirectory(Segment.DIRECTORY);
        torn.mark("submitted", 3);
        torn.mark("acknowledged", 1);
        int before = torn.ops.size();
        Client.open(torn).close();
        assertThat(torn.ops).hasSizeGreaterThan(before);
        List<MemoryDisk.Op> all = List.copyOf(torn.ops);
        MemoryDisk replayed = new MemoryDisk();
        replayed.ops.addAll(all);

        int[] afterTheTear = {0};
        new PowerLoss(replayed, 1).run((left, acknowledged, last, how) -> {
            if (acknowledged > 0) {
                check(left, acknowledged, last, how);
                afterTheTear[0]++;
            }
        });
        assertThat(afterTheTear[0]).isGreaterThan(600);
    }

    /** All bytes were written before the disk reported that it was full. */
    @Test
    void aRefusedChangeIsNotRecovered() throws IOException {
        FaultyDisk full = new FaultyDisk(disk);
        Client client = Client.open(full);
        client.submit("before");
        client.settle();
        full.fault((kind, name) -> kind == FaultyDisk.Kind.WRITE ? Integer.MAX_VALUE : -1);
        client.submit("refused");
        client.settle();
        assertThat(client.refused).containsExactly("refused");
        disk.mark("acknowledged", 1);
        client.close();

        int[] refusing = {0};
        new PowerLoss(disk, 1).run((left, acknowledged, last, how) -> {
            if (acknowledged > 0) {
                assertThat(Client.recovered(left)).as(how).containsExactly("1 before");
                refusing[0]++;
            }
        });
        assertThat(refusing[0]).isPositive();
    }

    private void one(Client client, String... names) {
        for (String name : names) {
            submitted.add(submitted.size() + 1 + " " + name);
        }
        ends.add(submitted.size());
        client.submit(names);
        client.settle();
    }

    private void group(Client client, long first, String... names) {
        List<byte[]> events = new ArrayList<>();
        for (String name : names) {
            submitted.add(submitted.size() + 1 + " " + name);
            events.add(Client.event(name));
        }
        ends.add(submitted.size());
        long last = first + names.length - 1;
        client.journal().submit(new Batch(first, events, outcome -> disk.mark("acknowledged", last)));
    }

    private void check(MemoryDisk left, long acknowledged, long last, String how) throws IOException {
        List<String> recovered;
        try {
            recovered = Client.recovered(left);
        } catch (CorruptException e) {
            throw new AssertionError(how + ", " + acknowledged + " acknowledged: " + e.getMessage(), e);
        }
        assertThat(recovered.size()).as(how).isBetween((int) acknowledged, (int) last);
        assertThat(recovered).as(how).isEqualTo(submitted.subList(0, recovered.size()));
        assertThat(wholeCommands(recovered)).as(how).isTrue();
        goesOn(left, recovered, how);
    }

    private boolean wholeCommands(List<String> recovered) {
        return recovered.isEmpty() || ends.contains(recovered.size());
    }

    private static void goesOn(MemoryDisk left, List<String> recovered, String how) throws IOException {
        Client again = Client.open(left);
        again.submit("more");
        again.close();
        List<String> expected = new ArrayList<>(recovered);
        expected.add(recovered.size() + 1 + " more");
        assertThat(Client.recovered(left)).as(how).isEqualTo(expected);
    }
}
