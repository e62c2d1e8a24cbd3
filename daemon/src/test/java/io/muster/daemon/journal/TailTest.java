package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TailTest {
    private static final int EVENTS = 3000;
    private final MemoryDisk disk = new MemoryDisk();

    private void write(int segmentBytes) throws IOException {
        Client client = Client.open(disk, new JournalSettings(segmentBytes, Duration.ofDays(1), 1 << 30));
        for (int i = 1; i <= EVENTS; i++) {
            client.submit("n" + i, "m" + i);
            if (i % 100 == 0) {
                client.settle();
            }
        }
        client.close();
    }

    private List<Long> read(long last, int most) throws IOException {
        List<Long> found = new ArrayList<>();
        Tail.read(disk, last, new Tail.Reader() {
            @Override
            public boolean plain(long seq, double timestamp, String name, byte[] json) {
                assertThat(name).isEqualTo((seq % 2 == 0 ? "m" : "n") + (seq + 1) / 2);
                assertThat(timestamp).isEqualTo(1700000000.123456);
                assertThat(json).isEqualTo(Client.event(name));
                found.add(seq);
                return found.size() < most;
            }

            @Override
            public boolean parsed(JournalRecord event) {
                return plain(event.seq(), event.timestamp(), event.name(), Objects.requireNonNull(event.submitted()));
            }
        });
        return found;
    }

    private static List<Long> down(long from, long to) {
        return LongStream.iterate(from, seq -> seq >= to, seq -> seq - 1)
                .boxed()
                .toList();
    }

    @Test
    void theLastEventsAreReadFromTheNewestOn() throws IOException {
        for (int segmentBytes : new int[] {1 << 30, 5000}) {
            disk.names.clear();
            write(segmentBytes);
            assertThat(read(6000, 10_000)).isEqualTo(down(6000, 1));
            assertThat(read(5990, 17)).isEqualTo(down(5990, 5974));
            assertThat(read(0, 10)).isEmpty();
        }
    }

    @Test
    void eventsOfAnyLengthAreRead() throws IOException {
        Client client = Client.open(disk);
        int[] lengths = {1, 700_000, 3, 5, 260_000, 262_144, 2, 1_500_000, 4, 9};
        for (int length : lengths) {
            client.submit("x".repeat(length));
        }
        client.close();
        List<String> found = new ArrayList<>();
        Tail.read(disk, lengths.length, new Tail.Reader() {
            @Override
            public boolean plain(long seq, double timestamp, String name, byte[] json) {
                assertThat(json).isEqualTo(Client.event(name));
                return found.add(seq + " " + name.length());
            }

            @Override
            public boolean parsed(JournalRecord event) {
                return found.add(event.seq() + " " + event.name().length());
            }
        });
        List<String> expected = new ArrayList<>();
        for (int i = lengths.length; i > 0; i--) {
            expected.add(i + " " + lengths[i - 1]);
        }
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void readingEndsAtAMissingSegment() throws IOException {
        write(5000);
        List<Segment> segments = Segment.list(disk);
        Segment kept = segments.get(segments.size() / 2 + 1);
        disk.delete(segments.get(segments.size() / 2).name());
        assertThat(read(6000, 10_000)).isEqualTo(down(6000, kept.first()));
    }
}
