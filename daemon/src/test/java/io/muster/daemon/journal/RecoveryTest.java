package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecoveryTest {
    private static final String ONE = Segment.name(1);
    private static final String ADVICE =
            "; `muster journal verify` lists all damage, `muster journal repair` repairs what it can";

    private final MemoryDisk disk = new MemoryDisk();
    private byte[] whole = new byte[0];

    @BeforeEach
    void record() throws IOException {
        Client client = Client.open(disk);
        client.submit("a");
        client.settle();
        client.submit("b", "c");
        client.settle();
        client.submit("d");
        client.close();
        whole = disk.content(ONE).clone();
    }

    @Test
    void aJournalCutAtEveryByteKeepsWholeCommandsUpToTheCut() throws IOException {
        int head = lineEnd(1);
        for (int cut = head; cut < whole.length; cut++) {
            disk.set(ONE, Arrays.copyOf(whole, cut));
            Client client = Client.open(disk);
            client.close();

            List<String> all = List.of("1 a", "2 b", "3 c", "4 d");
            int kept = cut < lineEnd(2) ? 0 : cut < lineEnd(4) ? 1 : 3;
            assertThat(client.durable).as("cut at %d", cut).isEqualTo(all.subList(0, kept));
            boolean atCommand = cut == head || cut == lineEnd(2) || cut == lineEnd(4);
            assertThat(client.warnings).as("cut at %d", cut).hasSize(atCommand ? 0 : 1);
            assertThat(disk.content(ONE).length).as("cut at %d", cut).isLessThanOrEqualTo(cut);
        }
    }

    @Test
    void aJournalCutWithinTheHeadIsRefused() {
        for (int cut = 0; cut < lineEnd(1); cut++) {
            disk.set(ONE, Arrays.copyOf(whole, cut));
            assertThatThrownBy(() -> Client.recovered(disk))
                    .as("cut at %d", cut)
                    .hasMessageContaining("the head of the segment is missing");
        }
    }

    @Test
    void aTornTailIsKeptInQuarantine() throws IOException {
        disk.set(ONE, Arrays.copyOf(whole, whole.length - 5));
        Client client = Client.open(disk);
        client.close();

        int from = lineEnd(4);
        String copy = "quarantine/0000000000000001.log.from-byte-" + from + ".1.broken";
        assertThat(client.warnings)
                .containsExactly("the last write was cut short by a crash: cutting " + (whole.length - 5 - from)
                        + " bytes off journal/0000000000000001.log at byte " + from + "; a copy is in " + copy);
        assertThat(disk.content(copy)).isEqualTo(Arrays.copyOfRange(whole, from, whole.length - 5));
    }

    @Test
    void everyFlippedBitIsRefused() throws IOException {
        for (int at = 0; at < whole.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] flipped = whole.clone();
                flipped[at] ^= (byte) (1 << bit);
                // A space or @ that becomes NUL in the last write has the same effect as a lost block.
                boolean hole = flipped[at] == 0 && at >= lineEnd(4);
                disk.set(ONE, flipped);
                if (hole) {
                    assertThat(Client.recovered(disk)).containsExactly("1 a", "2 b", "3 c");
                } else {
                    assertThatThrownBy(() -> Client.recovered(disk))
                            .as("bit %d of byte %d", bit, at)
                            .isInstanceOf(CorruptException.class);
                    assertThat(disk.content(ONE)).isEqualTo(flipped);
                }
            }
        }
    }

    @Test
    void aDamagedLineIsReportedWithItsPositionAndTheCommandsToRun() {
        whole[lineEnd(2) + 30] ^= 1;
        disk.set(ONE, whole);

        assertThatThrownBy(() -> Client.recovered(disk))
                .hasMessage("journal/0000000000000001.log line 3 (byte " + lineEnd(2) + "): the checksum does not match"
                        + ADVICE);
    }

    @Test
    void zerosInALineThatLaterLinesCallDurableAreDamage() {
        Arrays.fill(whole, lineEnd(1), lineEnd(2), (byte) 0);
        disk.set(ONE, whole);

        assertThatThrownBy(() -> Client.recovered(disk))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("journal/0000000000000001.log line 2 ");
    }

    /** The newline is zero too, so that the last line, which calls this line durable, seems to be part of this line. */
    @Test
    void zerosUpToTheLineThatCallsThemDurableAreDamage() {
        Arrays.fill(whole, lineEnd(3), lineEnd(4), (byte) 0);
        disk.set(ONE, whole);

        assertThatThrownBy(() -> Client.recovered(disk))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("journal/0000000000000001.log line 4 ");
    }

    @Test
    void zerosInALineThatNoLineCallsDurableAreATornTail() throws IOException {
        byte[] holed = Arrays.copyOf(whole, lineEnd(4));
        Arrays.fill(holed, lineEnd(2), lineEnd(3), (byte) 0);
        disk.set(ONE, holed);

        assertThat(Client.recovered(disk)).containsExactly("1 a");
    }

    @Test
    void aMissingLineIsReportedWithItsPosition() {
        byte[] without = Arrays.copyOf(whole, whole.length - (lineEnd(2) - lineEnd(1)));
        System.arraycopy(whole, lineEnd(2), without, lineEnd(1), whole.length - lineEnd(2));
        disk.set(ONE, without);

        assertThatThrownBy(() -> Client.recovered(disk))
                .hasMessageContaining("line 2 (byte " + lineEnd(1) + "): seq 2 follows 0;");
    }

    @Test
    void aTornTailInASegmentThatIsNotTheLastIsDamage() throws IOException {
        Client client = Client.open(disk);
        client.snapshot();
        client.submit("e");
        client.close();
        disk.delete(SnapshotFile.FILE);
        disk.set(ONE, Arrays.copyOf(whole, whole.length - 3));

        assertThatThrownBy(() -> Client.recovered(disk))
                .hasMessageStartingWith(
                        "journal/0000000000000001.log line 5 (byte " + lineEnd(4) + "): the line is not complete;");
    }

    @Test
    void aMissingSegmentIsReported() throws IOException {
        threeSegments();
        disk.delete(SnapshotFile.FILE);
        disk.delete(Segment.name(5));

        assertThatThrownBy(() -> Client.recovered(disk))
                .hasMessage("journal/0000000000000001.log: it ends with seq 4 and journal/0000000000000006.log follows"
                        + ADVICE);
        disk.delete(ONE);
        assertThatThrownBy(() -> Client.recovered(disk))
                .hasMessage("journal/0000000000000006.log: there is no snapshot and the journal begins with seq 6"
                        + ADVICE);
    }

    @Test
    void aJournalThatEndsBeforeTheSnapshotIsRefused() throws IOException {
        Client client = Client.open(disk);
        client.snapshot();
        client.close();
        disk.delete(Segment.name(5));
        disk.set(ONE, Arrays.copyOf(whole, lineEnd(2)));

        assertThatThrownBy(() -> Client.recovered(disk))
                .hasMessageStartingWith(
                        "journal/0000000000000001.log: it ends with seq 1 and the snapshot holds seq 4;");
    }

    @Test
    void aSnapshotWithoutSegmentsIsRecoveredWithAWarning() throws IOException {
        Client client = Client.open(disk);
        client.snapshot();
        client.close();
        disk.delete(ONE);
        disk.delete(Segment.name(5));

        Client again = Client.open(disk);
        again.close();
        assertThat(again.durable).containsExactly("1 a", "2 b", "3 c", "4 d");
        assertThat(again.warnings)
                .containsExactly("the journal holds no segments; it continues from the snapshot at seq 4");
    }

    @Test
    void everyFlippedByteOfASnapshotIsRefused() throws IOException {
        Client client = Client.open(disk);
        client.snapshot();
        client.close();
        byte[] snapshot = disk.content(SnapshotFile.FILE);
        for (int at = 0; at < snapshot.length; at++) {
            byte[] flipped = snapshot.clone();
            flipped[at] ^= 1;
            disk.set(SnapshotFile.FILE, flipped);
            assertThatThrownBy(() -> Client.recovered(disk))
                    .as("byte %d", at)
                    .hasMessage("snapshot.json: the checksum does not match" + ADVICE);
        }
    }

    @Test
    void aNewerFormatLevelIsRefusedByStartAndRepair() throws IOException {
        String head =
                "{\"timestamp\":1.0,\"name\":\"journal-segment\",\"context\":{\"version\":9,\"first\":1,\"needs\":\"7.5.0\"}}";
        disk.set(ONE, line(head));
        String sentence =
                "it is written in format level 9, and this version reads levels up to 1: start muster 7.5.0 or"
                        + " later";
        assertThatThrownBy(() -> Client.recovered(disk))
                .hasMessage("journal/0000000000000001.log: " + sentence + "; nothing has been changed");
        refusesToRepair("journal/0000000000000001.log: " + sentence);

        String snapshot = "\"version\":9,\"needs\":\"7.5.0\",\"seq\":4,\"timestamp\":1.0,\n\"state\":{}}\n";
        disk.set(
                SnapshotFile.FILE,
                ("{\"crc32c\":\"" + crc(snapshot) + "\",\n" + snapshot).getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> Client.recovered(disk))
                .hasMessage("snapshot.json: " + sentence + "; nothing has been changed");
        refusesToRepair("snapshot.json: " + sentence);
    }

    /** A repair would treat the unknown format as damage. */
    private void refusesToRepair(String sentence) {
        Map<String, String> before = contents();
        assertThatThrownBy(() -> JournalRepair.repair(disk, Client.CLOCK, false, bytes -> {}))
                .hasMessageStartingWith(sentence);
        assertThat(contents()).isEqualTo(before);
    }

    private Map<String, String> contents() {
        Map<String, String> contents = new TreeMap<>();
        disk.names.keySet().stream()
                .filter(name -> !name.equals(Journal.LOCK))
                .forEach(name -> contents.put(name, Arrays.toString(disk.content(name))));
        return contents;
    }

    @Test
    void linesWithAValidChecksumAndInvalidContentAreReported() {
        refuses("{\"seq\":1,\"durable\":0}", "timestamp or name is missing");
        refuses("{\"timestamp\":1.0,\"name\":\"x\"}", "seq, durable or more is missing or invalid");
        refuses("{\"seq\":1,\"durable\":1,\"timestamp\":1.0,\"name\":\"x\"}", "is missing or invalid");
        refuses("{\"seq\":1,\"seq\":1}", "not JSON: Duplicate field 'seq'");
        refuses("{\"seq\":1", "not JSON: Unexpected end-of-input");
        refuses("[1]", "not a JSON object");
    }

    /** libjansson cannot read an answer with such a string or number, and a terminal obeys some of the characters. */
    @Test
    void stringsAndNumbersThatNotEveryReaderTakesAreReported() {
        String event = "{\"seq\":1,\"durable\":0,\"timestamp\":1.0,\"name\":\"x\",\"context\":{";
        refuses(
                event + "\"reason\":\"a\\u0000\"}}",
                "not JSON that Muster writes: /context/reason: has the character U+0000, which no string may have");
        refuses(event + "\"\u009b31m\":1}}", "/context/\\u009b31m: the key has the character U+009B");
        refuses(event + "\"n\":9223372036854775808}}", "/context/n: is an integer of more than 64 bits");
        refuses(event + "\"n\":1e400}}", "/context/n: is out of a double's range");
        refuses(
                event + "\"R\":{\"scheduling\":{\"a\":[\"\\u001b\"]}}}}",
                "/context/R/scheduling/a/0: has the character");
    }

    @Test
    void aSnapshotWithSuchAStringIsRefusedByItsNameAndPlace() {
        String snapshot = "\"version\":1,\"seq\":4,\"timestamp\":1.0,\n\"state\":{\"holds\":[\"\\u0000\"]}}\n";
        disk.set(
                SnapshotFile.FILE,
                ("{\"crc32c\":\"" + crc(snapshot) + "\",\n" + snapshot).getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> Client.recovered(disk))
                .isInstanceOf(CorruptException.class)
                .hasMessage(
                        "snapshot.json: it is not JSON that Muster writes: /state/holds/0: has the character U+0000, which no"
                                + " string may have" + ADVICE);
    }

    private void refuses(String json, String sentence) {
        byte[] line = line(json);
        byte[] file = Arrays.copyOf(whole, lineEnd(1) + line.length);
        System.arraycopy(line, 0, file, lineEnd(1), line.length);
        disk.set(ONE, file);
        assertThatThrownBy(() -> Client.recovered(disk))
                .as(json)
                .hasMessageContaining("the checksum is right, but the line is not an event: ")
                .hasMessageContaining(sentence);
    }

    @Test
    void unfinishedFilesAreDeleted() throws IOException {
        disk.set("snapshot.json.tmp", new byte[10]);
        disk.set(Segment.name(5) + ".tmp", new byte[10]);

        assertThat(Client.recovered(disk)).hasSize(4);
        assertThat(disk.names).containsOnlyKeys(ONE);
    }

    @Test
    void aStartFirstRewritesAndForcesTheLastWriteAndTheBlockBefore() throws IOException {
        int before = disk.ops.size();
        Client.recovered(disk);

        List<MemoryDisk.Op> ops = disk.ops.subList(before, disk.ops.size());
        assertThat(ops.get(0)).isInstanceOfSatisfying(MemoryDisk.Written.class, write -> {
            assertThat(write.at()).isZero();
            assertThat(write.bytes().array()).isEqualTo(whole);
        });
        assertThat(ops.get(1)).isInstanceOf(MemoryDisk.Forced.class);
    }

    private void threeSegments() throws IOException {
        Client client = Client.open(disk);
        client.snapshot();
        client.submit("e");
        client.settle();
        client.snapshot();
        client.submit("f");
        client.close();
    }

    /** Returns the offset after the n-th line, including its newline. */
    private int lineEnd(int n) {
        int at = 0;
        for (int i = 0; i < n; i++) {
            while (whole[at] != '\n') {
                at++;
            }
            at++;
        }
        return at;
    }

    private static byte[] line(String json) {
        return (crc(json) + " " + json + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Computes a checksum without the code under test. */
    private static String crc(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }
}
