package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** After any damage to a segment, a start either refuses and changes nothing, or recovers a prefix of the changes. */
class RecoveryPropsTest {
    @Seeds
    void anyDamageIsRefusedOrLosesOnlyTheLastWrite(Random random) throws IOException {
        MemoryDisk disk = new MemoryDisk();
        List<String> made = record(disk, random);
        byte[] whole = disk.content(Segment.name(1));
        byte[] damaged = whole;
        for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
            damaged = edited(damaged, random);
        }
        disk.set(Segment.name(1), damaged);

        boolean startable = JournalCheck.verify(disk, read -> {}).startable();
        List<String> recovered;
        try {
            recovered = Client.recovered(disk);
            assertThat(startable).isTrue();
            assertThat(recovered.size())
                    .as("a line that is as it was calls so many durable")
                    .isGreaterThanOrEqualTo(calledDurable(whole, damaged));
        } catch (CorruptException refused) {
            assertThat(startable).as(refused.getMessage()).isFalse();
            assertThat(disk.content(Segment.name(1))).isEqualTo(damaged);
            recovered = repaired(disk);
        }
        assertThat(recovered).isEqualTo(made.subList(0, recovered.size()));
        assertThat(recovered.size())
                .as("whole commands before the first damage")
                .isGreaterThanOrEqualTo(before(whole, damaged));
        assertThat(JournalCheck.verify(disk, read -> {}).findings()).isEmpty();
        assertThat(Client.recovered(disk)).isEqualTo(recovered);
    }

    /** Returns the last seq that an undamaged line calls durable; a line counts if it is unchanged and at its old position. */
    private static int calledDurable(byte[] whole, byte[] damaged) throws IOException {
        long durable = 0;
        int end;
        for (int start = end(whole, 0); start < whole.length; start = end) {
            end = end(whole, start);
            if (end <= damaged.length && Arrays.equals(whole, start, end, damaged, start, end)) {
                durable = Math.max(durable, read(whole, start, end).durable());
            }
        }
        return (int) durable;
    }

    /** Returns the seq of the last event of the last command before the first difference. */
    private static int before(byte[] whole, byte[] damaged) throws IOException {
        int same = Arrays.mismatch(whole, damaged);
        long seq = 0;
        int end;
        for (int start = end(whole, 0); start < whole.length; start = end) {
            end = end(whole, start);
            JournalRecord record = read(whole, start, end);
            if ((same < 0 || end <= same) && record.more() == 0) {
                seq = record.seq();
            }
        }
        return (int) seq;
    }

    private static JournalRecord read(byte[] bytes, int start, int end) throws IOException {
        return JournalRecord.parse(bytes, start + Line.PREFIX, end - 1 - start - Line.PREFIX);
    }

    private static int end(byte[] bytes, int start) {
        int end = start;
        while (bytes[end] != '\n') {
            end++;
        }
        return end + 1;
    }

    private static List<String> repaired(MemoryDisk disk) throws IOException {
        JournalRepair.RepairResult report = JournalRepair.repair(disk, Client.CLOCK, false, bytes -> {});
        List<String> recovered = Client.recovered(disk);
        assertThat(report.lastSeq()).isEqualTo(recovered.size());
        return recovered;
    }

    private static List<String> record(MemoryDisk disk, Random random) throws IOException {
        Client client = Client.open(disk);
        for (int i = 0; i < 12; i++) {
            String[] names = new String[1 + random.nextInt(3)];
            for (int j = 0; j < names.length; j++) {
                names[j] = "x".repeat(1 + random.nextInt(40)) + i + j;
            }
            client.submit(names);
            if (random.nextBoolean()) {
                client.settle();
            }
        }
        client.close();
        return client.durable;
    }

    /** Cuts, overwrites, zeroes, removes or repeats a range of bytes or whole lines. */
    private static byte[] edited(byte[] bytes, Random random) {
        List<Byte> edited = new ArrayList<>(bytes.length);
        int from = random.nextInt(bytes.length + 1);
        int to = Math.min(bytes.length, from + random.nextInt(random.nextBoolean() ? 4 : 400));
        if (random.nextBoolean()) {
            from = lineStart(bytes, from);
            to = lineStart(bytes, to);
        }
        int how = random.nextInt(5);
        for (int i = 0; i < bytes.length; i++) {
            boolean within = i >= from && i < to;
            if (!within) {
                edited.add(bytes[i]);
            } else if (how == 1) {
                edited.add((byte) random.nextInt());
            } else if (how == 2) {
                edited.add((byte) 0);
            }
            if (how == 3 && i == to - 1) {
                for (int j = 2 * from - to; j < to; j++) {
                    edited.add(bytes[Math.max(0, j)]);
                }
            }
        }
        int size = how == 4 ? Math.min(from, edited.size()) : edited.size();
        byte[] result = new byte[size];
        for (int i = 0; i < size; i++) {
            result[i] = edited.get(i);
        }
        return result;
    }

    private static int lineStart(byte[] bytes, int at) {
        int start = at;
        while (start > 0 && bytes[start - 1] != '\n') {
            start--;
        }
        return start;
    }
}
