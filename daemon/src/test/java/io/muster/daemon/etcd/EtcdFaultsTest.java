package io.muster.daemon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.etcd.EtcdException.Fate;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import io.muster.testing.Needs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Operations and failures of the members of etcd while daemons lead and follow. */
@Timeout(600)
@Needs({"etcd", "etcdctl"})
@Tag("long")
@Tag("etcd-faults")
final class EtcdFaultsTest {
    private static final String PREFIX = "/muster/test/";
    private static final Duration OUTAGE = Duration.ofMinutes(1);

    @TempDir
    Path directory;

    /** A writer that sends one change after another to the current leader, and records the changes that were made. */
    private static final class Load extends Thread {
        private final List<Node> nodes;
        private final List<String> made = Collections.synchronizedList(new ArrayList<>());
        /** Changes that were not answered, or whose outcome is unknown. */
        private final List<String> open = Collections.synchronizedList(new ArrayList<>());

        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicInteger count = new AtomicInteger();

        Load(Node... nodes) {
            super("load");
            this.nodes = List.of(nodes);
            start();
        }

        @Override
        public void run() {
            while (!ended.get()) {
                nodes.stream().filter(Node::leads).findFirst().ifPresent(this::write);
                LockSupport.parkNanos(100_000);
            }
        }

        private void write(Node node) {
            String text = "e" + count.incrementAndGet();
            try {
                Outcome outcome = node.write(text).get(120, TimeUnit.SECONDS);
                if (outcome.durable()) {
                    made.add(text);
                } else if (outcome.reason().contains("may have been made")) {
                    open.add(text);
                }
            } catch (Exception e) {
                open.add(text);
            }
        }

        void awaitMore() {
            int before = made.size();
            await().atMost(Node.PATIENCE).until(() -> made.size() > before + 1);
        }

        /** Ends the load, and checks that the log has exactly the changes that were answered as made, in the order of the answers. */
        void judge(Node... witnesses) throws Exception {
            ended.set(true);
            join();
            for (Node witness : witnesses) {
                await().atMost(Node.PATIENCE).untilAsserted(() -> {
                    List<String> events = new ArrayList<>(witness.events());
                    events.removeAll(open);
                    assertThat(events).isEqualTo(made);
                });
            }
        }
    }

    private static Node.Parts parts(EtcdCluster etcd, String member) {
        return Node.Parts.of(etcd.endpoints(), member);
    }

    @Test
    void no_change_is_lost_while_members_are_replaced_and_the_leader_of_etcd_moves() throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(directory, 3);
                Node first = new Node(parts(etcd, "a")).awaitLead();
                Node second = new Node(parts(etcd, "b"))) {
            Load load = new Load(first, second);
            for (int member = 0; member < 3; member++) {
                load.awaitMore();
                etcd.replace(member);
                load.awaitMore();
                etcd.moveLeader();
            }
            load.awaitMore();
            load.judge(first, second);
        }
    }

    @Test
    void no_change_is_lost_after_all_members_are_killed_or_a_quorum_is_paused() throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(directory, 3);
                Node first = new Node(parts(etcd, "a")).awaitLead();
                Node second = new Node(parts(etcd, "b"))) {
            Load load = new Load(first, second);
            load.awaitMore();
            etcd.killAll();
            await().atMost(Node.PATIENCE).until(() -> first.isSilent() || !first.leads());
            for (int member = 0; member < 3; member++) {
                etcd.startMember(member);
            }
            load.awaitMore();
            etcd.pause(0);
            etcd.pause(1);
            long end = System.nanoTime() + OUTAGE.toNanos();
            await().atMost(OUTAGE.plus(Node.PATIENCE)).until(() -> System.nanoTime() > end);
            assertThat(first.leads() && !first.isSilent()).isFalse();
            etcd.resume(0);
            etcd.resume(1);
            load.awaitMore();
            load.judge(first, second);
        }
    }

    @Test
    void running_daemons_refuse_a_restored_backup_and_stop_leading() throws Exception {
        Path backup = directory.resolve("backup");
        try (EtcdCluster etcd = EtcdCluster.quick(Files.createDirectory(directory.resolve("etcd")), 1);
                Node leader = new Node(parts(etcd, "a")).awaitLead();
                Node standby = new Node(parts(etcd, "b"))) {
            assertThat(leader.writeAndWait("one").durable()).isTrue();
            etcd.ctl("snapshot", "save", backup.toString());
            assertThat(leader.writeAndWait("two").durable()).isTrue();
            standby.awaitEvents(List.of("one", "two"));
            etcd.restore(backup);
            for (Node node : List.of(leader, standby)) {
                await().atMost(Node.PATIENCE)
                        .until(
                                () -> node.ledger.status().reason(),
                                reason -> reason.contains("restored from a backup"));
                await().atMost(Node.PATIENCE).until(() -> !node.leads());
                assertThat(node.events()).containsExactly("one", "two");
            }
            assertThat(leader.writeAndWait("three").durable()).isFalse();
            try (Node fresh = new Node(parts(etcd, "c")).awaitLead()) {
                assertThat(fresh.events()).containsExactly("one");
            }
        }
    }

    @Test
    void a_full_database_prevents_an_election_until_space_is_freed() throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(directory, 1, "--quota-backend-bytes=4000000");
                Node next = new Node(parts(etcd, "b"))) {
            next.awaitLead();
            try (Node first = new Node(parts(etcd, "a"))) {
                assertThat(next.writeAndWait("one").durable()).isTrue();
                first.awaitEvents(List.of("one"));
                fill(etcd);
                etcd.ctl("del", PREFIX + "leader"); // the leader loses its key while the database is full
                await().atMost(Node.PATIENCE)
                        .until(() -> next.ledger.status().reason().contains("space exceeded")
                                && first.ledger.status().reason().contains("space exceeded"));
                assertThat(first.ledger.status().condition()).isEqualTo(Condition.READ_ONLY);
                assertThat(first.events()).containsExactly("one");
                makeRoom(etcd);
                await().atMost(Node.PATIENCE).until(() -> first.leads() || next.leads());
                Node leads = first.leads() ? first : next;
                assertThat(leads.writeAndWait("two").durable()).isTrue();
                first.awaitEvents(List.of("one", "two"));
                next.awaitEvents(List.of("one", "two"));
            }
        }
    }

    private static void fill(EtcdCluster etcd) throws Exception {
        String value = "x".repeat(90_000);
        for (int i = 0; i < 60; i++) {
            etcd.ctl("put", "/junk/" + i, value);
        }
        assertThat(etcd.ctl("alarm", "list")).contains("NOSPACE");
    }

    private static void makeRoom(EtcdCluster etcd) throws Exception {
        etcd.ctl("del", "/junk/", "--prefix");
        String revision = etcd.ctl("endpoint", "status", "--write-out=json")
                .replaceAll(".*\"revision\":(\\d+).*", "$1")
                .strip();
        etcd.ctl("compact", revision);
        etcd.ctl("defrag");
        etcd.ctl("alarm", "disarm");
    }

    @Test
    void a_reconnected_leader_publishes_no_old_snapshot_and_deletes_nothing() throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(directory, 1);
                Proxy proxy = new Proxy(etcd.endpoints().get(0));
                Node old = new Node(Node.Parts.of(List.of(proxy.uri()), "a")).awaitLead();
                Store late = new Store(new EtcdGateway(etcd.access(), 0), new Keys(PREFIX), Machine.REAL)) {
            for (int i = 0; i < 20; i++) {
                assertThat(old.writeAndWait("e" + i).durable()).isTrue();
            }
            long term = old.ledger.term();
            proxy.keepRequests();
            old.beginSnapshot(); // the first request of this snapshot reaches etcd after the next leader has published
            try (Node next = new Node(parts(etcd, "b")).awaitLead()) {
                for (int i = 20; i < 60; i++) {
                    assertThat(next.writeAndWait("e" + i).durable()).isTrue();
                    if (i % 20 == 19) {
                        assertThat(next.snapshot().durable()).isTrue();
                        String seq = "{\"current\":{\"name\":\"00000000000000" + (i + 1);
                        await().atMost(Node.PATIENCE).until(() -> snapshot(etcd).startsWith(seq));
                    }
                }
                await().atMost(Node.PATIENCE)
                        .until(() -> etcd.keys(PREFIX + "log/").get(0).endsWith("41"));
                assertThat(next.writeAndWait("after the snapshot").durable()).isTrue();
                List<String> kept = kept(etcd);
                String published = snapshot(etcd);
                proxy.mend();
                old.awaitEvents(next.events());
                // The same writes as from a leader that has already read which snapshot is published.
                Uploads uploads = new Uploads(late);
                EventGroup.Head head = late.view(1, 1, Store.ATTEMPT_MILLIS).head();
                assertThat(uploads.publish(term, head.seq(), head.txn(), Terms.NONE, 1, Level.NEWEST, new byte[10]))
                        .isFalse();
                assertThat(late.fenced(
                                term,
                                List.of(new Etcd.Op.Delete(
                                        late.keys().log(0), late.keys().logEnd())),
                                Store.ATTEMPT_MILLIS))
                        .isFalse();
                assertThat(snapshot(etcd)).isEqualTo(published);
                assertThat(kept(etcd)).isEqualTo(kept);
            }
        }
    }

    private static String snapshot(EtcdCluster etcd) throws Exception {
        return etcd.ctl("get", PREFIX + "snapshot", "--print-value-only");
    }

    private static List<String> kept(EtcdCluster etcd) throws Exception {
        List<String> keys = new ArrayList<>(etcd.keys(PREFIX + "log/"));
        keys.addAll(etcd.keys(PREFIX + "snapshot/"));
        return keys;
    }

    @Test
    void if_access_is_revoked_between_two_attempts_the_outcome_is_unknown() throws Exception {
        AtomicInteger attempts = new AtomicInteger(Integer.MIN_VALUE);
        UnaryOperator<Store> revoking = store -> new Store(store.etcd(), store.keys(), store.machine()) {
            @Override
            Etcd.Result append(long term, EventGroup.Head head, Etcd.@Nullable Compare parts, EventGroup group)
                    throws EtcdException {
                int attempt = attempts.incrementAndGet();
                if (attempt > 1) {
                    throw new EtcdException(Fate.REFUSED, "permission denied");
                }
                Etcd.Result result = super.append(term, head, parts, group);
                if (attempt == 1) {
                    throw new EtcdException(Fate.UNKNOWN, "the connection ended before the answer");
                }
                return result;
            }
        };
        try (EtcdCluster etcd = EtcdCluster.quick(directory, 1);
                Node node =
                        new Node(parts(etcd, "a").patient(Duration.ofSeconds(5)).with(revoking)).awaitLead();
                Node standby = new Node(parts(etcd, "b"))) {
            assertThat(node.writeAndWait("one").durable()).isTrue();
            attempts.set(0);
            Outcome two = node.writeAndWait("two");
            assertThat(two.reason()).isEqualTo("permission denied: the change may have been made");
            assertThat(two.elsewhere()).isFalse();
            standby.awaitEvents(List.of("one", "two"));
            node.awaitEvents(List.of("one", "two"));
        }
    }

    /** Each answer takes 0.3 s or more; the daemon waits 0.5 s for the answer to a keep-alive, and the lease lasts for 2 s. */
    @Test
    void a_slow_etcd_causes_no_election() throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(directory, 1);
                Proxy proxy = new Proxy(etcd.endpoints().get(0));
                Node leader = new Node(Node.Parts.of(List.of(proxy.uri()), "a")).awaitLead();
                Node standby = new Node(Node.Parts.of(List.of(proxy.uri()), "b"))) {
            long term = leader.ledger.term();
            proxy.delay(Duration.ofMillis(150));
            List<String> all = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                all.add("e" + i);
                assertThat(leader.writeAndWait("e" + i).durable()).isTrue();
            }
            assertThat(leader.ledger.term()).isEqualTo(term);
            assertThat(leader.isSilent()).isFalse();
            standby.awaitEvents(all);
        }
    }
}
