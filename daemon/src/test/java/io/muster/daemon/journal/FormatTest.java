package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.journal.disk.Disk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** State directories of every released format, as they were written. Never change one: a new format gets a new directory. */
class FormatTest {
    private static final String[] V1 = {
        "snapshot.json",
        "snapshot.prev.json",
        "journal/0000000000000001.log",
        "journal/0000000000000004.log",
        "journal/0000000000000005.log"
    };

    /** Writes {@code journal/v1}. */
    private static void writeV1(Disk disk) throws IOException {
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
    void version1IsStillRead() throws IOException {
        MemoryDisk disk = golden();

        assertThat(Client.recovered(disk))
                .containsExactly("1 drain", "2 exclude", "3 undrain", "4 offline ε", "5 online");
        assertThat(JournalCheck.verify(disk, bytes -> {}).findings()).isEmpty();
    }

    @Test
    void version1IsStillWrittenByteForByte() throws IOException {
        MemoryDisk written = new MemoryDisk();
        writeV1(written);

        assertThat(texts(written)).isEqualTo(texts(golden()));
    }

    @Test
    void aLineIsAChecksumASpaceAndAnRfc18Event() throws IOException {
        assertThat(texts(golden()).get("journal/0000000000000001.log")).isEqualTo("""
                        20ad0646 {"timestamp":1700000000.000000,"name":"journal-segment","context":{"version":1,"first":1}}
                        204cf002 {"seq":1,"durable":0,"timestamp":1700000000.123456,"name":"drain","context":{"a b":[1]}}
                        44cc81a3 {"seq":2,"durable":1,"more":1,"timestamp":1700000000.123456,"name":"exclude","context":{"a b":[1]}}
                        2299a949 {"seq":3,"durable":1,"timestamp":1700000000.123456,"name":"undrain","context":{"a b":[1]}}
                        """);
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
