package io.muster.it.cast;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.daemon.journal.JournalArchive;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.Archive;
import io.muster.inventory.json.StrictJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Reads the whole log in etcd with etcd's own client, while daemons write it and before they delete it, and checks its order. */
public final class LogWitness extends Thread {
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final String LOG = "/muster/main/log";

    private final EtcdCluster etcd;
    private final List<Integer> fingerprints = new ArrayList<>();
    /** The seqs of the events of each {@link PatientAdmin}. */
    private final List<List<Long>> seqs = new ArrayList<>();

    private String txn = "";
    private long term;
    private int terms;
    private volatile long last;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    public LogWitness(EtcdCluster etcd, int admins) {
        super("witness");
        this.etcd = etcd;
        for (int i = 0; i < admins; i++) {
            seqs.add(new ArrayList<>());
        }
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                read();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            failure = e;
        }
    }

    private void read() throws IOException, InterruptedException {
        String from = LOG + "/" + String.format(Locale.ROOT, "%016d", last + 1);
        String output = etcd.ctl("get", from, LOG + "0", "--print-value-only");
        if (output.contains("Error: ") || output.contains("\"level\":\"warn\"")) {
            return; // etcd did not answer
        }
        long seq = last;
        for (String line : output.lines().filter(text -> !text.isEmpty()).toList()) {
            byte[] json = line.substring(line.indexOf('{')).getBytes(StandardCharsets.UTF_8);
            ObjectNode object = (ObjectNode) StrictJson.stored(json);
            if (object.has("txn")) {
                begin(object, seq);
            } else {
                add(object, ++seq);
            }
        }
        last = seq;
    }

    /** Checks the head of a group. Its id is {@code SEQ-TERM-COUNT-NONCE}, with the term in hexadecimal. */
    private void begin(JsonNode head, long seq) {
        assertThat(head.path("first").asLong()).as("first seq after %d", seq).isEqualTo(seq + 1);
        assertThat(head.path("prev").asText()).as("before seq %d", seq + 1).isEqualTo(txn);
        assertThat(head.has("packed") || head.has("parts"))
                .as("a group at seq %d that is too long for this reader", seq + 1)
                .isFalse();
        txn = head.path("txn").asText();
        long next = Long.parseLong(txn.split("-")[1], 16);
        assertThat(next).as("the term after term %d, at seq %d", term, seq + 1).isGreaterThanOrEqualTo(term);
        terms += next > term ? 1 : 0;
        term = next;
    }

    private void add(JsonNode event, long seq) {
        assertThat(event.path("seq").asLong()).isEqualTo(seq);
        fingerprints.add(JournalReader.fingerprint(event));
        if (event.at("/context/id").isTextual()) {
            UUID id = UUID.fromString(event.at("/context/id").asText());
            List<Long> own = seqs.get((int) id.getMostSignificantBits());
            assertThat(id.getLeastSignificantBits())
                    .as("the number of the change of admin %d at seq %d", id.getMostSignificantBits(), seq)
                    .isEqualTo(own.size());
            own.add(seq);
        }
    }

    /** Checks that the files in a state directory hold the same events. */
    public void checkCopy(Path stateDir) throws IOException {
        Archive archive = new JournalArchive(LocalDisk.existing(stateDir));
        try (Archive.Reading reading = archive.open(new Archive.Selection(Set.of(), 0, last))) {
            int seq = 0;
            for (Archive.Item item = reading.next(); item != null; item = reading.next()) {
                assertThat(item).as("after seq %d in %s", seq, stateDir).isInstanceOf(Archive.Item.Event.class);
                ObjectNode event = ((Archive.Item.Event) item).json();
                assertThat(event.path("seq").asLong()).as(stateDir.toString()).isEqualTo(++seq);
                check(seq, JournalReader.fingerprint(event), stateDir.toString());
            }
            assertThat(seq).as("last seq in %s", stateDir).isEqualTo(last);
        }
    }

    public void check(long seq, int fingerprint, String where) {
        assertThat(fingerprint)
                .as("event %d in %s, beside the log", seq, where)
                .isEqualTo(fingerprints.get((int) seq - 1));
    }

    public long last() {
        return last;
    }

    public int terms() {
        return terms;
    }

    /** The seqs of the changes of an admin, in their order. */
    public List<Long> seqs(int admin) {
        return seqs.get(admin);
    }

    public @Nullable Throwable failure() {
        return failure;
    }

    public void finish() throws InterruptedException {
        end();
        assertThat(failure).as("what the log in etcd shows").isNull();
    }

    public void end() throws InterruptedException {
        stopping = true;
        join();
    }
}
