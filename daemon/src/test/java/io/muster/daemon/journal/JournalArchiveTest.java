package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.ledger.Archive;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class JournalArchiveTest {
    private final MemoryDisk disk = new MemoryDisk();

    /** Another program wrote the line, or a version of Muster with a bug: the checksum of the line is correct. */
    @Test
    void aLineWithAValidChecksumThatIsNotAnEventIsReportedAndSkipped() throws IOException {
        Client client = Client.open(disk);
        for (String name : List.of("a", "b", "c")) {
            client.submit(name);
            client.settle();
        }
        client.close();
        String first = Segment.name(1);
        String text = new String(disk.content(first), StandardCharsets.UTF_8);
        int second = text.indexOf("{\"seq\":2,") - Line.PREFIX;
        for (String json : List.of("{\"timestamp\":1.5,\"name\":\"b\"}", "[]", "{\"seq\":2,\"durable\":1}")) {
            ByteBuffer line = ByteBuffer.allocate(1024);
            Line.encode(line, json);
            String bad = new String(Arrays.copyOf(line.array(), line.position()), StandardCharsets.UTF_8);
            disk.set(
                    first,
                    (text.substring(0, second) + bad + text.substring(text.indexOf('\n', second) + 1))
                            .getBytes(StandardCharsets.UTF_8));
            for (Set<String> hosts : List.of(Set.<String>of(), Set.of("n1"))) {
                List<String> items = read(hosts);
                assertThat(items).hasSize(3).startsWith("a").endsWith("c");
                assertThat(items.get(1))
                        .startsWith(first + " line 3 (byte " + second
                                + "): the checksum is right, but the line is not an event: ");
            }
        }
    }

    private List<String> read(Set<String> hosts) throws IOException {
        List<String> items = new ArrayList<>();
        try (Archive.Reading reading = new JournalArchive(disk).open(new Archive.Selection(hosts, 0, Long.MAX_VALUE))) {
            for (Archive.Item item = reading.next(); item != null; item = reading.next()) {
                items.add(
                        item instanceof Archive.Item.Event event
                                ? event.json().path("name").asText()
                                : ((Archive.Item.Missing) item).damage());
            }
        }
        return items;
    }
}
