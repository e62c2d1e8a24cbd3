package io.muster.daemon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.Outcome;
import io.muster.testing.Needs;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Needs({"etcd", "etcdctl"})
@Tag("once")
final class EtcdLedgerTest {
    private static final String PREFIX = "/muster/test/";

    @TempDir
    Path directory;

    private EtcdCluster etcd;

    @BeforeEach
    void startEtcd() throws IOException {
        etcd = EtcdCluster.quick(directory, 1);
    }

    @AfterEach
    void stopEtcd() {
        etcd.close();
    }

    private Node.Parts parts(String member) {
        return Node.Parts.of(etcd.endpoints(), member);
    }

    private static void assertDurable(Outcome outcome) {
        assertThat(outcome).isEqualTo(Outcome.DURABLE);
    }

    private static List<String> fill(Node node, int from, int count) throws Exception {
        List<CompletableFuture<Outcome>> all = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            texts.add("e" + i);
            all.add(node.write("e" + i));
        }
        for (CompletableFuture<Outcome> outcome : all) {
            assertDurable(outcome.get(60, TimeUnit.SECONDS));
        }
        return texts;
    }

    @Test
    void a_standby_follows_the_leader_and_leads_after_the_leader_stops() throws Exception {
        Node first = new Node(parts("a")).awaitLead();
        try (Node second = new Node(parts("b"))) {
            fill(first, 0, 100);
            second.awaitEvents(first.events());
            first.close();
            second.awaitLead();
            assertDurable(second.writeAndWait("more"));
            assertThat(second.events()).hasSize(101);
            assertThat(second.warnings()).isEmpty();
        } finally {
            first.close();
        }
    }

    @Test
    void a_change_whose_response_is_lost_is_found_in_the_log_and_made_once() throws Exception {
        try (Proxy proxy = new Proxy(etcd.endpoints().get(0));
                Node node = new Node(Node.Parts.of(List.of(proxy.uri()), "a")).awaitLead()) {
            assertDurable(node.writeAndWait("one"));
            proxy.keepAnswers();
            CompletableFuture<Outcome> two = node.write("two");
            await().atMost(Node.PATIENCE)
                    .until(() -> etcd.ctl("get", PREFIX + "head", "--print-value-only")
                            .contains("\"seq\":2,"));
            proxy.cut();
            proxy.mend();
            assertDurable(two.get(60, TimeUnit.SECONDS));
            assertDurable(node.writeAndWait("three"));
            assertThat(node.events()).containsExactly("one", "two", "three");
            assertThat(etcd.keys(PREFIX + "log/")).hasSize(3);
        }
    }

    @Test
    void a_change_with_an_unknown_outcome_is_answered_as_such_and_ends_the_lead() throws Exception {
        try (Proxy proxy = new Proxy(etcd.endpoints().get(0));
                Node node = new Node(Node.Parts.of(List.of(proxy.uri()), "a").patient(Duration.ofMillis(100)))
                        .awaitLead()) {
            assertDurable(node.writeAndWait("one"));
            proxy.keepAnswers();
            Outcome two = node.writeAndWait("two");
            assertThat(two.kind()).isEqualTo(Outcome.Kind.FAILED);
            assertThat(two.reason()).contains("the change may have been made");
            assertThat(two.elsewhere()).isFalse();
            assertThat(node.writeAndWait("three").durable()).isFalse();
            proxy.cut();
            proxy.mend();
            node.awaitLead();
            node.awaitEvents(List.of("one", "two"));
            assertDurable(node.writeAndWait("four"));
            assertThat(node.events()).containsExactly("one", "two", "four");
        }
    }

    @Test
    void a_group_over_a_mebibyte_is_written_in_parts_and_read_by_standbys() throws Exception {
        StringBuilder text = new StringBuilder();
        java.util.Random random = new java.util.Random(7);
        while (text.length() < 5 << 20) {
            text.append(Long.toString(random.nextLong() & Long.MAX_VALUE, 36));
        }
        try (Node node = new Node(parts("a")).awaitLead()) {
            assertDurable(node.writeAndWait(text.toString()));
            assertDurable(node.writeAndWait("small"));
            assertThat(etcd.keys(PREFIX + "part/").size()).isGreaterThan(2);
            try (Node standby = new Node(parts("b"))) {
                standby.awaitEvents(List.of(text.toString(), "small"));
            }
            etcd.ctl("del", etcd.keys(PREFIX + "part/").get(1));
            try (Node late = new Node(parts("c"))) {
                late.awaitReason("somebody else has deleted them");
                assertThat(late.events()).isEmpty();
            }
        }
    }

    @Test
    void the_log_before_the_last_two_snapshots_is_deleted_and_late_daemons_load_a_snapshot() throws Exception {
        Node.Parts late = parts("late");
        try (Node node = new Node(parts("a")).awaitLead()) {
            List<String> all = new ArrayList<>(fill(node, 0, 3));
            try (Node early = new Node(late)) {
                early.awaitEvents(all);
            }
            for (int round = 1; round <= 3; round++) {
                for (int i = 0; i < 20; i++) {
                    all.addAll(fill(node, 100 * round + i, 1));
                }
                assertDurable(node.snapshot());
                awaitSnapshot(all.size());
            }
            all.addAll(fill(node, 900, 2));
            await().atMost(Node.PATIENCE)
                    .until(() -> etcd.keys(PREFIX + "log/").get(0).equals(PREFIX + "log/0000000000000044"));
            assertThat(etcd.keys(PREFIX + "snapshot/")).hasSize(2);
            try (Node again = new Node(late)) {
                again.awaitEvents(all);
                assertThat(again.warnings()).isEmpty();
            }
            try (Node third = new Node(late)) {
                assertThat(third.events()).isEqualTo(all);
            }
            try (Node fresh = new Node(parts("fresh"))) {
                fresh.awaitEvents(all);
            }
            etcd.ctl("del", etcd.keys(PREFIX + "snapshot/").get(1));
            try (Node fresh = new Node(parts("again"))) {
                fresh.awaitReason("pieces of the snapshot at seq 63 are missing");
            }
        }
    }

    @Test
    void a_leader_that_hands_over_is_replaced_before_it_stops_and_keeps_its_state() throws Exception {
        Node first = new Node(parts("a")).awaitLead();
        try (Node second = new Node(parts("b"))) {
            assertDurable(first.writeAndWait("one"));
            second.awaitEvents(List.of("one"));
            first.ledger.handOver();
            second.awaitLead();
            assertDurable(second.writeAndWait("two"));
            CompletableFuture<Outcome> late = first.write("late");
            await().during(Duration.ofSeconds(2))
                    .atMost(Node.PATIENCE)
                    .until(() -> first.leads() && first.events().equals(List.of("one")));
            assertDurable(first.snapshot());
            first.close();
            assertThat(late.get(60, TimeUnit.SECONDS))
                    .isEqualTo(new Outcome(Outcome.Kind.FAILED, "the daemon stops", true));
        } finally {
            first.close();
        }
    }

    private void awaitSnapshot(int seq) {
        await().atMost(Node.PATIENCE)
                .until(() -> etcd.ctl("get", PREFIX + "snapshot", "--print-value-only")
                        .startsWith("{\"current\":{\"name\":\"" + String.format(Locale.ROOT, "%016d", seq)));
    }

    @Test
    void snapshots_of_the_local_copy_need_no_etcd_and_snapshots_in_etcd_are_retried() throws Exception {
        try (Proxy proxy = new Proxy(etcd.endpoints().get(0))) {
            Node.Parts parts = Node.Parts.of(List.of(proxy.uri()), "a").patient(Duration.ofMinutes(1));
            List<String> all;
            try (Node node = new Node(parts).awaitLead()) {
                all = fill(node, 0, 20);
                assertDurable(node.snapshot());
                awaitSnapshot(20);
                all.addAll(fill(node, 20, 20));
                proxy.cut(); // closes the connection that the first snapshot used
                proxy.mend();
                assertDurable(node.snapshot());
                awaitSnapshot(40);
                assertThat(node.warnings()).isEmpty();
                all.addAll(fill(node, 40, 20));
                proxy.cut();
                assertDurable(node.snapshot());
                await().atMost(Node.PATIENCE).until(() -> !node.warnings().isEmpty());
                assertThat(node.warnings().get(0)).startsWith("the snapshot at seq 60 was not written to etcd: ");
                proxy.mend();
            }
            try (Node again = new Node(parts)) {
                assertThat(again.ledger.snapshotSeq()).isEqualTo(60);
                again.awaitLead();
                assertThat(again.events()).isEqualTo(all);
                assertDurable(
                        again.snapshot()); // no event was written since, so the transaction is known from the local
                // copy
            }
        }
    }

    @Test
    void a_stop_ends_in_order_if_a_member_of_etcd_accepts_connections_and_does_not_answer() throws Exception {
        try (Proxy one = new Proxy(etcd.endpoints().get(0));
                Proxy two = new Proxy(etcd.endpoints().get(0))) {
            AtomicReference<URI> first = new AtomicReference<>();
            Node.Parts parts = Node.Parts.of(List.of(one.uri(), two.uri()), "a").with(store -> {
                first.set(((EtcdGateway) store.etcd()).endpoint());
                return store;
            });
            Node node = new Node(parts).awaitLead();
            try (node) {
                fill(node, 0, 20);
                (one.uri().equals(first.get()) ? one : two).keepRequests();
                assertDurable(node.snapshot());
            }
            assertThat(node.warnings()).isEmpty();
        }
    }

    @Test
    void the_leader_compacts_etcd_only_if_configured_and_keeps_needed_revisions() throws Exception {
        List<String> all = new ArrayList<>();
        String missing = "required revision has been compacted";
        try (Node node = new Node(parts("a")).awaitLead()) {
            for (int round = 0; round < 3; round++) {
                all.addAll(fill(node, 100 * round, 20));
                assertDurable(node.snapshot());
                awaitSnapshot(all.size());
            }
            assertThat(etcd.ctl("get", PREFIX + "head", "--rev=2")).doesNotContain(missing);
        }
        try (Node node = new Node(parts("a").compacting()).awaitLead()) {
            long before = Long.parseLong(revision(PREFIX + "snapshot"));
            all.addAll(fill(node, 900, 20));
            assertDurable(node.snapshot());
            await().atMost(Node.PATIENCE)
                    .until(() -> etcd.ctl("get", PREFIX + "head", "--rev=" + (before - 1))
                            .contains(missing));
            assertThat(etcd.ctl("get", PREFIX + "head", "--rev=" + before)).contains("\"seq\":60,");
            etcd.ctl("compact", revision(PREFIX + "head")); // another client compacts too, to a later revision
            for (int round = 0;
                    round < 2;
                    round++) { // the second snapshot follows the compaction after the first snapshot
                all.addAll(fill(node, 1000 + 100 * round, 20));
                assertDurable(node.snapshot());
                awaitSnapshot(all.size());
            }
            assertThat(node.warnings()).isEmpty();
            try (Node fresh = new Node(parts("fresh"))) {
                fresh.awaitEvents(all);
            }
        }
    }

    private String revision(String key) throws Exception {
        return etcd.ctl("get", key, "--write-out=json").replaceAll("(?s).*\"mod_revision\":(\\d+).*", "$1");
    }

    @Test
    void of_two_daemons_with_the_same_name_one_leads() throws Exception {
        Node first = new Node(parts("a")).awaitLead();
        try (Node second = new Node(parts("a"))) {
            assertDurable(first.writeAndWait("one"));
            second.awaitEvents(List.of("one"));
            second.awaitReason("set ledger.member");
            first.close();
            second.awaitLead();
            assertDurable(second.writeAndWait("two"));
        } finally {
            first.close();
        }
    }

    @Test
    void another_ledger_and_an_empty_etcd_are_refused_with_the_reason() throws Exception {
        MemoryDisk copy = new MemoryDisk();
        try (Node node = new Node(parts("a").on(copy)).awaitLead()) {
            assertDurable(node.writeAndWait("one"));
        }
        etcd.ctl("del", PREFIX, "--prefix");
        try (Node node = new Node(parts("a").on(copy))) {
            node.awaitReason("etcd holds no ledger below " + PREFIX);
            try (Node other = new Node(parts("b")).awaitLead()) {
                assertDurable(other.writeAndWait("other"));
                node.awaitReason("the state directory holds a copy of ledger");
                assertThat(node.leads()).isFalse();
                assertThat(node.events()).containsExactly("one");
            }
        }
    }

    @Test
    void daemons_with_newer_events_refuse_an_etcd_restored_from_a_backup() throws Exception {
        Node.Parts a = parts("a");
        Node.Parts b = parts("b");
        try (Node node = new Node(a).awaitLead()) {
            fill(node, 0, 3);
            etcd.ctl("snapshot", "save", directory.resolve("backup").toString());
            fill(node, 3, 3);
            try (Node standby = new Node(b)) {
                standby.awaitEvents(node.events());
            }
        }
        String saved = etcd.ctl("get", PREFIX + "log/", "--prefix", "--print-value-only");
        assertThat(saved).contains("e5");
        // The effect of a restore on the keys of the ledger: the head is an earlier one, and the log after the head is
        // missing.
        String head = "{\"seq\":3,\"txn\":\"" + txnOf(3) + "\"}";
        for (String key : etcd.keys(PREFIX + "log/")) {
            if (key.compareTo(PREFIX + "log/0000000000000004") >= 0) {
                etcd.ctl("del", key);
            }
        }
        etcd.ctl("put", PREFIX + "head", head);
        try (Node node = new Node(a)) {
            node.awaitReason("ends with seq 3, and this daemon has seq 6");
            try (Node fresh = new Node(parts("c")).awaitLead()) {
                fill(fresh, 10, 8);
                node.awaitReason("histories differ");
                assertThat(node.leads()).isFalse();
            }
        }
    }

    /**
     * The restored cluster has the same id as before, because it has the same members and the same token, and its log has gone on beyond
     * all events of the daemons that know more than the backup.
     */
    @Test
    void daemons_with_events_that_a_restored_etcd_lacks_are_refused_after_the_log_was_pruned_past_them()
            throws Exception {
        Path backup = directory.resolve("backup");
        Node.Parts stopped = parts("b");
        Node.Parts honest = parts("d");
        String cluster;
        try (Proxy proxy = new Proxy(etcd.endpoints().get(0));
                Node running = new Node(Node.Parts.of(List.of(proxy.uri()), "c"))) {
            List<String> restored;
            List<String> more;
            running.awaitLead(); // two terms before the backup
            fill(running, 0, 2);
            proxy.cut();
            try (Node node = new Node(parts("a")).awaitLead()) {
                proxy.mend();
                fill(node, 2, 3);
                restored = node.events();
                try (Node standby = new Node(honest)) {
                    standby.awaitEvents(restored);
                }
                etcd.ctl("snapshot", "save", backup.toString());
                cluster = clusterId();
                fill(node, 5, 3);
                more = node.events();
                try (Node standby = new Node(stopped)) {
                    standby.awaitEvents(more);
                }
                running.awaitEvents(more);
                proxy.cut();
            }
            etcd.restore(backup);
            try (Node fresh = new Node(parts("e")).awaitLead()) {
                assertThat(clusterId()).isEqualTo(cluster);
                assertThat(fresh.events()).isEqualTo(restored);
                for (int round = 1; round <= 3; round++) {
                    fill(fresh, 100 * round, 20);
                    assertDurable(fresh.snapshot());
                    awaitSnapshot(fresh.events().size());
                }
                await().atMost(Node.PATIENCE)
                        .until(() -> etcd.keys(PREFIX + "log/").get(0).compareTo(PREFIX + "log/0000000000000009") > 0);
                try (Node again = new Node(stopped)) {
                    again.awaitReason("event 8 in etcd is not event 8 of this daemon: the two histories differ");
                    assertThat(again.events()).isEqualTo(more);
                    assertThat(again.isCopied()).isTrue();
                }
                proxy.mend();
                running.awaitReason("event 8 in etcd is not event 8 of this daemon: the two histories differ");
                assertThat(running.events()).isEqualTo(more);
                assertThat(running.isCopied()).isTrue();
                try (Node again = new Node(honest)) {
                    again.awaitEvents(fresh.events());
                    assertThat(again.warnings()).isEmpty();
                }
            }
        }
    }

    private String clusterId() throws Exception {
        return etcd.ctl("endpoint", "status", "--write-out=json").replaceAll(".*\"cluster_id\":(\\d+).*", "$1");
    }

    private String txnOf(long seq) throws Exception {
        return etcd.ctl("get", PREFIX + "log/", "--prefix", "--print-value-only")
                .lines()
                .filter(line -> line.contains("\"last\":" + seq + ","))
                .map(line -> line.replaceAll(".*\"txn\":\"([^\"]*)\".*", "$1"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_full_database_refuses_changes_until_space_is_freed_without_an_election() throws Exception {
        EtcdCluster small = EtcdCluster.quick(
                java.nio.file.Files.createDirectory(directory.resolve("small")), 1, "--quota-backend-bytes=4000000");
        try (Node node = new Node(Node.Parts.of(small.endpoints(), "a")).awaitLead()) {
            assertDurable(node.writeAndWait("one"));
            String big = "x".repeat(1000);
            StringBuilder value = new StringBuilder(big);
            while (value.length() < 90_000) {
                value.append(big);
            }
            for (int i = 0; i < 60; i++) {
                small.ctl("put", "/junk/" + i, value.toString());
            }
            assertThat(small.ctl("alarm", "list")).contains("NOSPACE");
            Outcome refused = node.writeAndWait("two");
            assertThat(refused.reason()).contains("space exceeded");
            assertThat(refused.elsewhere()).isFalse();
            assertThat(node.ledger.status().condition()).isEqualTo(Condition.READ_ONLY);
            small.ctl("del", "/junk/", "--prefix");
            String revision = small.ctl("endpoint", "status", "--write-out=json")
                    .replaceAll(".*\"revision\":(\\d+).*", "$1")
                    .strip();
            small.ctl("compact", revision);
            small.ctl("defrag");
            small.ctl("alarm", "disarm");
            await().atMost(Node.PATIENCE).until(() -> {
                node.ledger.probe();
                return node.ledger.status().condition() == Condition.WRITABLE;
            });
            assertDurable(node.writeAndWait("three"));
            assertThat(node.events()).containsExactly("one", "three");
            assertThat(node.leads()).isTrue();
        } finally {
            small.close();
        }
    }

    @Test
    void a_standby_whose_disk_refuses_a_snapshot_still_follows_and_leads() throws Exception {
        MemoryDisk memory = new MemoryDisk();
        Node first = new Node(parts("a")).awaitLead();
        List<String> all = new ArrayList<>(fill(first, 0, 3));
        try (Node early = new Node(parts("late").on(memory))) {
            early.awaitEvents(all);
        }
        for (int round = 1; round <= 2; round++) {
            all.addAll(fill(first, 100 * round, 20));
            assertDurable(first.snapshot());
            awaitSnapshot(all.size());
        }
        all.addAll(fill(first, 900, 2));
        FaultyDisk disk = new FaultyDisk(memory, (kind, name) -> {
            if (kind == FaultyDisk.Kind.RENAME) {
                throw FaultyDisk.broken();
            }
            return -1;
        });
        try (Node late = new Node(parts("late").on(disk))) {
            late.awaitEvents(all);
            assertThat(late.warnings())
                    .containsExactly(
                            "the local copy of the ledger stays behind: the local copy cannot go on from seq 43:"
                                    + " Input/output error");
            first.close();
            late.awaitLead();
            all.addAll(fill(late, 1000, 1));
            disk.fault(FaultyDisk.NONE);
            await().atMost(Node.PATIENCE).until(() -> {
                late.ledger.probe();
                return late.ledger.snapshotSeq() >= 43;
            });
            all.addAll(fill(late, 1001, 1));
            await().atMost(Node.PATIENCE).until(late::isCopied); // close() does not wait for the copy
        } finally {
            first.close();
        }
        try (Node again = new Node(parts("late").on(memory))) {
            assertThat(again.events()).isEqualTo(all);
        }
    }

    @Test
    void a_hanging_local_disk_blocks_no_change_and_uses_limited_memory() throws Exception {
        MemoryDisk memory = new MemoryDisk();
        FaultyDisk disk = new FaultyDisk(memory);
        CountDownLatch hang = new CountDownLatch(1);
        String text = "x".repeat(1 << 20);
        List<String> all = new ArrayList<>();
        try (Node node = new Node(parts("a").on(disk)).awaitLead();
                Closeable released =
                        hang::countDown) { // released before the node closes, because close waits for the disk
            assertThat(released).isNotNull();
            disk.fault((kind, name) -> {
                if (kind == FaultyDisk.Kind.FORCE) {
                    awaitQuietly(hang);
                }
                return -1;
            });
            for (long bytes = 0; bytes < LocalCopy.MOST_QUEUED + (4 << 20); bytes += text.length()) {
                all.add(text + all.size());
                assertDurable(node.writeAndWait(text + (all.size() - 1)));
            }
            assertThat(node.warnings())
                    .containsExactly("the local copy of the ledger stays behind: the disk is slower than the changes");
            CompletableFuture<Outcome> snapshot = node.beginSnapshot();
            awaitSnapshot(all.size()); // etcd has the snapshot although the disk has not written it
            assertThat(snapshot).isNotDone();
            node.beginSnapshot();
            assertThat(node.beginSnapshot().get(60, TimeUnit.SECONDS).reason())
                    .endsWith("the disk has not written earlier ones yet");
            hang.countDown();
            await().atMost(Node.PATIENCE).until(() -> {
                node.ledger.probe();
                return node.isCopied();
            });
        }
        try (Node again = new Node(parts("a").on(memory))) {
            assertThat(again.events()).isEqualTo(all);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(5, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
