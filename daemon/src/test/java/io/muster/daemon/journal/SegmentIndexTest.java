package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.ledger.Archive;
import io.muster.daemon.ledger.Batch;
import io.muster.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SegmentIndexTest {
    private static final String SUFFIX = ".hosts";
    private static final JournalSettings SMALL = new JournalSettings(2_000, Duration.ofDays(90), 1 << 20);

    private final MemoryDisk disk = new MemoryDisk();
    private long seq;

    private void drain(Client client, String hosts) {
        submit(client, "drain", "{\"idset\":\"0\",\"nodelist\":\"" + hosts + "\",\"reason\":\"dimm\"}");
    }

    private void submit(Client client, String name, String context) {
        String event = "{\"timestamp\":1700000000.5,\"name\":\"" + name + "\",\"context\":" + context + "}";
        CompletableFuture<Object> done = new CompletableFuture<>();
        client.journal().submit(new Batch(++seq, List.of(event.getBytes(StandardCharsets.UTF_8)), done::complete));
        done.join();
    }

    private static void prepare(Archive archive) throws IOException {
        int pieces = 0;
        while (archive.prepare()) {
            pieces++;
        }
        assertThat(pieces).isLessThanOrEqualTo(1_000);
    }

    private static List<String> indexes(MemoryDisk disk) {
        return disk.list(Segment.DIRECTORY).stream()
                .map(entry -> Segment.DIRECTORY + "/" + entry.name())
                .filter(name -> name.endsWith(SUFFIX))
                .toList();
    }

    /** Returns the events that name one of the hosts or that are not about hosts, and the damage that was found. */
    private static List<String> read(MemoryDisk disk, long lastSeq, String... hosts) throws IOException {
        List<String> items = new ArrayList<>();
        try (Archive.Reading reading =
                new JournalArchive(disk).open(new Archive.Selection(Set.of(hosts), 0, lastSeq))) {
            for (Archive.Item item = reading.next(); item != null; item = reading.next()) {
                items.add(
                        item instanceof Archive.Item.Event event ? event.json().toString() : item.toString());
            }
        }
        return items;
    }

    @Test
    void linesOfOtherHostsAreNotRead() throws IOException {
        Client client = Client.open(disk, SMALL);
        for (int i = 0; i < 40; i++) {
            drain(client, i == 5 ? "r[0-3]n[0-9]" : "x" + i);
        }
        prepare(client.journal().archive());
        client.close();
        String first = Segment.name(1);
        String text = new String(disk.content(first), StandardCharsets.UTF_8);
        // The modification time of the file stays unchanged, as if the disk had changed the byte.
        disk.write(Objects.requireNonNull(disk.names.get(first)), text.indexOf("x3"), new byte[] {'y'});
        assertThat(read(disk, seq, "r2n7")).hasSize(1).first().asString().contains("r[0-3]n[0-9]");
        assertThat(read(disk, seq, "x3")).first().asString().contains("the checksum does not match");
        indexes(disk).forEach(disk::delete);
        assertThat(read(disk, seq, "r2n7"))
                .as(
                        "damage, the first event after the damage, which shows that one is missing, and the one of the host")
                .hasSize(3)
                .first()
                .asString()
                .contains("the checksum does not match");
    }

    @Test
    void onlyClosedIntactSegmentsHaveAnIndexAndItIsDeletedWithTheSegment() throws IOException {
        Client client = Client.open(disk, SMALL);
        for (int i = 0; i < 40; i++) {
            drain(client, "x" + i);
        }
        List<Segment> segments = Segment.list(disk);
        byte[] bad = disk.content(segments.get(1).name()).clone();
        bad[bad.length / 2] ^= 1;
        disk.set(segments.get(1).name(), bad);
        prepare(client.journal().archive());
        List<String> expected = new ArrayList<>();
        for (Segment segment : segments.subList(0, segments.size() - 1)) {
            expected.add(segment.name() + SUFFIX);
        }
        expected.remove(1);
        assertThat(indexes(disk)).isEqualTo(expected);
        disk.delete(segments.get(0).name());
        prepare(client.journal().archive());
        assertThat(indexes(disk)).isEqualTo(expected.subList(1, expected.size()));
        client.close();
    }

    private static String hosts(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> "r[0-2]n[0-9]";
            case 1 -> "r" + random.nextInt(3) + "n[" + random.nextInt(5) + ",7-9]";
            case 2 -> "r0n1,r1n" + random.nextInt(10) + ",r2n[0-1]";
            case 3 -> "r1n[0-9]-ib";
            default -> "r" + random.nextInt(3) + "n" + random.nextInt(10);
        };
    }

    private void events(Client client, Random random) throws IOException {
        for (int i = random.nextInt(30); i > 0; i--) {
            switch (random.nextInt(8)) {
                case 0 ->
                    submit(client, "resource-define", "{\"R\":{\"execution\":{\"nodelist\":[\"r[0-2]n[0-9]\"]}}}");
                case 1 -> submit(client, "upgrade", "{\"note\":\"a \\\" quote\"}");
                default -> drain(client, hosts(random));
            }
        }
        if (random.nextInt(3) == 0) {
            CompletableFuture<Object> done = new CompletableFuture<>();
            byte[] state = "{\"at\":1}".getBytes(StandardCharsets.UTF_8);
            client.journal().snapshot(seq, state, done::complete);
            done.join();
        }
        if (random.nextBoolean()) {
            prepare(client.journal().archive());
        }
    }

    /** Damages, replaces or deletes an index, or damages a segment. */
    private static void spoil(MemoryDisk disk, Random random) throws IOException {
        List<String> indexes = indexes(disk);
        if (indexes.isEmpty()) {
            return;
        }
        String name = indexes.get(random.nextInt(indexes.size()));
        byte[] bytes = disk.content(name).clone();
        switch (random.nextInt(6)) {
            case 0 -> disk.delete(name);
            case 1 -> disk.set(name, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
            case 2 -> disk.set(name, disk.content(indexes.get(random.nextInt(indexes.size()))));
            case 3 -> {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                disk.set(name, bytes);
            }
            case 4 -> {
                String segment = Segment.list(disk).get(0).name();
                byte[] changed = disk.content(segment).clone();
                changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
                disk.now = disk.now.plusSeconds(1);
                disk.set(segment, changed);
            }
            default -> {
                // No file is changed.
            }
        }
    }

    @Seeds
    void aReadWithIndexesEqualsAReadWithoutIndexes(Random random) throws IOException {
        JournalSettings settings =
                new JournalSettings(1_000, Duration.ofDays(90), random.nextBoolean() ? 4_000 : 1 << 20);
        Client client = Client.open(disk, settings);
        for (int round = 0; round < 4; round++) {
            events(client, random);
            // A copy, because the thread of the journal may start or delete a segment at any time.
            MemoryDisk spoilt = disk.copy();
            spoil(spoilt, random);
            if (random.nextBoolean()) {
                prepare(new JournalArchive(spoilt));
                spoil(spoilt, random);
            }
            MemoryDisk plain = spoilt.copy();
            indexes(plain).forEach(plain::delete);
            long last = random.nextBoolean() ? seq : random.nextInt((int) seq + 1);
            String host = "r" + random.nextInt(3) + "n" + random.nextInt(10);
            for (String[] hosts : List.of(new String[] {host}, new String[] {host, "r1n3-ib"}, new String[0])) {
                assertThat(read(spoilt, last, hosts))
                        .as("%s up to %d", List.of(hosts), last)
                        .isEqualTo(read(plain, last, hosts));
            }
        }
        client.close();
    }
}
