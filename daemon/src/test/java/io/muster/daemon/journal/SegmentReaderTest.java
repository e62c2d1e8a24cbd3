package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SegmentReaderTest {
    private final MemoryDisk disk = new MemoryDisk();

    private Segment write(List<String> names) throws IOException {
        Client client = Client.open(disk, new JournalSettings(1 << 30, JournalSettings.DEFAULT.historyAge(), 1L << 40));
        names.forEach(client::submit);
        client.close();
        return Segment.list(disk).get(0);
    }

    private static List<String> names(Random random) {
        List<String> names = new ArrayList<>();
        for (int i = 1 + random.nextInt(60); i > 0; i--) {
            int length = random.nextInt(20) == 0 ? random.nextInt(400_000) : random.nextInt(10_000);
            names.add("n" + "x".repeat(length));
        }
        return names;
    }

    @Seeds
    void aReaderThatPassesOverLinesFindsTheSameLinesAsOneThatReadsThemAll(Random random) throws IOException {
        List<String> names = names(random);
        Segment segment = write(names);
        List<Long> starts = new ArrayList<>();
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            for (String name : names) {
                starts.add(reader.position());
                assertThat(Objects.requireNonNull(reader.next()).name()).isEqualTo(name);
                assertThat(reader.start()).isEqualTo(starts.get(starts.size() - 1));
            }
            assertThat(reader.next()).isNull();
            assertThat(reader.damage()).isNull();
            assertThat(reader.position()).isEqualTo(segment.size());
        }
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            int at = 0;
            for (int step = 0; step < 100; step++) {
                int to = at == names.size() || random.nextInt(4) == 0 ? random.nextInt(names.size()) : at;
                if (to != at || random.nextBoolean()) {
                    reader.seek(starts.get(to), to + 1);
                }
                at = to + 1;
                assertThat(Objects.requireNonNull(reader.next()).name()).isEqualTo(names.get(to));
                assertThat(reader.line()).isEqualTo(to + 2);
                assertThat(reader.expected()).isEqualTo(to + 2);
            }
        }
    }

    @Test
    void aLineThatIsNotWantedIsCheckedAndNotReturned() throws IOException {
        Segment segment = write(List.of("a", "b", "c", "d", "e"));
        byte[] content = disk.content(segment.name());
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            reader.select(line -> line.name().equals("d"), 4);
            assertThat(Objects.requireNonNull(reader.next()).seq()).isEqualTo(4);
            assertThat(reader.next()).isNull();
            assertThat(reader.expected()).isEqualTo(5);
        }
        content[content.length * 2 / 5] ^= 1;
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            reader.select(line -> line.name().equals("d"), 4);
            assertThat(reader.next()).isNull();
            assertThat(Objects.requireNonNull(reader.damage()).sentence()).isEqualTo("the checksum does not match");
            assertThat(Objects.requireNonNull(reader.next()).name())
                    .as("the first line after damage, which shows what is missing")
                    .isEqualTo("c");
            assertThat(Objects.requireNonNull(reader.next()).name()).isEqualTo("d");
        }
    }
}
