package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.level.Level;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** State directories of every released format, unchanged. Never change one: a new format gets a new directory. */
class FormatTest {
    private static final String[] V1 = {
        "snapshot.json",
        "snapshot.prev.json",
        "journal/0000000000000001.log",
        "journal/0000000000000004.log",
        "journal/0000000000000005.log"
    };

    /** Writes {@code journal/v1}. */
    private static void writeV1(MemoryDisk disk) throws IOException {
        begin(disk);
        Client client = Client.open(disk);
        client.submit("drain");
        client.settle();
        client.submit("exclude", "undrain");
        client.settle();
        client.snapshot();
        client.submit("offline ε");
        client.settle();
        client.snapshot();
        client.submit("online");
        client.close();
    }

    @Test
    void version1CanBeRead() throws IOException {
        MemoryDisk disk = golden();

        assertThat(Client.recovered(disk))
                .containsExactly("1 drain", "2 exclude", "3 undrain", "4 offline ε", "5 online");
        assertThat(JournalCheck.verify(disk, bytes -> {}).findings()).isEmpty();
    }

    @Test
    void version1IsStillWrittenByteForByte() throws IOException {
        MemoryDisk written = new MemoryDisk();
        writeV1(written);

        Map<String, String> texts = texts(written);
        assertThat(texts.remove("snapshot.2023-11.json"))
                .as("the first snapshot of the month, which versions before it ignore")
                .isEqualTo(texts.get("snapshot.prev.json"));
        assertThat(texts).isEqualTo(texts(golden()));
    }

    @Test
    void aLineConsistsOfAChecksumASpaceAndAnRfc18Event() throws IOException {
        assertThat(texts(golden()).get("journal/0000000000000001.log")).isEqualTo("""
                        20ad0646 {"timestamp":1700000000.000000,"name":"journal-segment","context":{"version":1,"first":1}}
                        204cf002 {"seq":1,"durable":0,"timestamp":1700000000.123456,"name":"drain","context":{"a b":[1]}}
                        44cc81a3 {"seq":2,"durable":1,"more":1,"timestamp":1700000000.123456,"name":"exclude","context":{"a b":[1]}}
                        2299a949 {"seq":3,"durable":1,"timestamp":1700000000.123456,"name":"undrain","context":{"a b":[1]}}
                        """);
    }

    /** Leaves a directory of level 1 with a segment and no events: this version creates directories in the newest level. */
    private static void begin(MemoryDisk disk) throws IOException {
        String segment = "journal/0000000000000001.log";
        String text = Objects.requireNonNull(texts(golden()).get(segment));
        String head = text.lines().findFirst().orElseThrow() + "\n";
        disk.set(segment, head.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aNewDirectoryHasTheNewestLevelAndTheVersionThatItNeeds() throws IOException {
        MemoryDisk fresh = new MemoryDisk();
        Client client = Client.open(fresh);
        client.snapshot();
        client.close();

        assertThat(texts(fresh).get("journal/0000000000000001.log"))
                .contains("\"context\":{\"version\":4,\"first\":1,\"needs\":\"0.1.0\"}");
        assertThat(texts(fresh).get("snapshot.json")).contains("\n\"version\":4,\"needs\":\"0.1.0\",\"seq\":0,");
    }

    @Test
    void anOldDirectoryKeepsItsLevelUntilItIsRaised() throws IOException {
        MemoryDisk disk = golden();
        Client client = Client.open(disk);
        client.submit("drain");
        client.settle();
        client.snapshot();
        client.settle();
        assertThat(texts(disk).values()).noneMatch(text -> text.contains("\"version\":2"));
        client.journal().raise(Level.TWO);
        client.submit("undrain");
        client.settle();
        client.snapshot();
        client.settle();
        client.close();
        assertThat(texts(disk).get("snapshot.json")).contains("\n\"version\":2,");
        assertThat(texts(disk).get("journal/0000000000000008.log")).contains("\"version\":2,\"first\":8");

        Client next = Client.open(disk);
        next.submit("online");
        next.settle();
        next.snapshot();
        next.settle();
        next.close();
        assertThat(texts(disk).get("journal/0000000000000009.log")).contains("\"version\":2,\"first\":9");
    }

    private static Map<String, String> texts(MemoryDisk disk) {
        Map<String, String> texts = new TreeMap<>();
        disk.names.keySet().forEach(name -> texts.put(name, new String(disk.content(name), StandardCharsets.UTF_8)));
        return texts;
    }

    private static MemoryDisk golden() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        for (String name : V1) {
            try (InputStream in = FormatTest.class.getResourceAsStream("/journal/v1/" + name)) {
                disk.set(name, Objects.requireNonNull(in, name).readAllBytes());
            }
        }
        return disk;
    }
}
