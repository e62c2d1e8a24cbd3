package io.muster.daemon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.etcd.Etcd.Op;
import io.muster.daemon.etcd.Etcd.Result;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.machine.Machine;
import io.muster.testing.Needs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scenarios that reveal a fault of the ledger, run with the correct ledger and with ledgers that are deliberately wrong. */
@Needs({"etcd", "etcdctl"})
@Tag("once")
final class BrokenVariantsTest {
    private static final String PREFIX = "/muster/test/";
    private static final int TIMEOUT = 10_000;

    @TempDir
    Path directory;

    /** A store that writes without conditions. */
    private static final class Unfenced extends Store {
        Unfenced(Store store) {
            super(store.etcd(), store.keys(), store.machine());
        }

        @Override
        Result append(long term, EventGroup.Head head, EventGroup group) throws EtcdException {
            return etcd().transact(
                            List.of(),
                            List.of(
                                    new Op.Put(keys().log(group.first()), group.value(), 0),
                                    new Op.Put(keys().head(), group.head())),
                            List.of(),
                            ATTEMPT_MILLIS);
        }
    }

    /**
     * Compares the creation of the leader's key, so that a leader does not detect that another client has written the key: neither when it
     * writes nor when it reads whether its term lasts.
     */
    private static final class FencedByCreation extends Store {
        /** The key as it was created; null if there is none. */
        private Etcd.@Nullable Entry created;

        FencedByCreation(Store store) {
            super(store.etcd(), store.keys(), store.machine());
        }

        @Override
        View view(long from, int groups, int timeoutMillis) throws EtcdException, ForeignException {
            View view = super.view(from, groups, timeoutMillis);
            if (created == null || view.leader() == null) {
                created = view.leader();
            }
            return new View(view.asked(), view.id(), created, view.head(), view.groups(), view.members(), view.clock());
        }

        @Override
        Result append(long term, EventGroup.Head head, EventGroup group) throws EtcdException {
            Etcd.Entry leader = etcd().read(List.of(Op.Get.one(keys().leader())), ATTEMPT_MILLIS)
                    .one(0);
            return super.append(leader == null ? term : leader.modRevision(), head, group);
        }
    }

    /** A store that names parts by the first seq of their group, so that two groups may share parts. */
    private static final class PartsBySeq extends Store {
        PartsBySeq(Store store) {
            super(store.etcd(), store.keys(), store.machine());
        }

        private String shared(String parts) {
            String prefix = keys().parts();
            return parts.startsWith(prefix) ? parts.substring(0, prefix.length() + 16) + "/" : parts;
        }

        @Override
        boolean putPiece(long term, String parts, int number, byte[] piece) throws EtcdException {
            return super.putPiece(term, shared(parts), number, piece);
        }

        @Override
        byte @Nullable [] pieces(String parts, int count) throws EtcdException {
            return super.pieces(shared(parts), count);
        }
    }

    /** A disconnected leader sends a pending write after another daemon has answered a change. Returns the events of the log afterwards. */
    private List<String> playWokenLeader(UnaryOperator<Store> stores) throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(directory, 1);
                Proxy proxy = new Proxy(etcd.endpoints().get(0));
                Node old = new Node(Node.Parts.of(List.of(proxy.uri()), "a")
                                .patient(Duration.ofMinutes(1))
                                .with(stores))
                        .awaitLead()) {
            old.writeAndWait("one");
            proxy.cut();
            CompletableFuture<Outcome> late = old.write("late");
            try (Node next = new Node(Node.Parts.of(etcd.endpoints(), "b")).awaitLead()) {
                assertThat(next.writeAndWait("two")).isEqualTo(Outcome.DURABLE);
                proxy.mend();
                late.get(60, TimeUnit.SECONDS);
            }
            return log(etcd);
        }
    }

    private static List<String> log(EtcdCluster etcd) throws Exception {
        return etcd.ctl("get", PREFIX + "log/", "--prefix", "--print-value-only")
                .lines()
                .filter(line -> line.contains("\"text\""))
                .map(line -> line.replaceAll(".*\"text\":\"([^\"]*)\".*", "$1"))
                .toList();
    }

    @Test
    void a_reconnected_leader_overwrites_nothing() throws Exception {
        assertThat(playWokenLeader(store -> store)).containsExactly("one", "two");
    }

    @Test
    void the_scenario_detects_a_ledger_that_writes_without_conditions() throws Exception {
        assertThat(playWokenLeader(Unfenced::new)).containsExactly("one", "late");
    }

    /** Another client writes the key of the leader. Returns whether the former leader can still write. */
    private boolean playUsurper(UnaryOperator<Store> stores) throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(directory, 1);
                Etcd usurper = new EtcdGateway(etcd.access(), 0);
                Node node = new Node(Node.Parts.of(etcd.endpoints(), "a").with(stores)).awaitLead()) {
            byte[] card = "{\"member\":\"usurper\",\"boot\":\"x\"}".getBytes(StandardCharsets.UTF_8);
            long lease = usurper.grant(600, TIMEOUT);
            List<Op> put = List.of(new Op.Put(PREFIX + "leader", card, lease));
            node.writeAndWait("one");
            usurper.transact(List.of(), put, List.of(), TIMEOUT);
            return node.writeAndWait("two").durable();
        }
    }

    @Test
    void a_leader_whose_key_another_client_has_written_writes_no_more() throws Exception {
        assertThat(playUsurper(store -> store)).isFalse();
    }

    @Test
    void the_scenario_detects_a_ledger_that_compares_the_creation_of_the_key() throws Exception {
        assertThat(playUsurper(FencedByCreation::new)).isTrue();
    }

    /** A piece of an abandoned group arrives after the next group with the same first seq. Returns whether a standby can read the log. */
    private boolean playLatePiece(UnaryOperator<Store> stores) throws Exception {
        try (EtcdCluster etcd = EtcdCluster.quick(directory, 1);
                Node node = new Node(Node.Parts.of(etcd.endpoints(), "a").with(stores)).awaitLead()) {
            node.writeAndWait("one");
            Etcd.Entry leader = leader(etcd);
            String given = String.format(java.util.Locale.ROOT, "%016d-%x-0-late", 2, leader.modRevision());
            assertThat(node.writeAndWait("x".repeat(10) + noise(3 << 20)).durable())
                    .isTrue();
            try (Store late =
                    stores.apply(new Store(new EtcdGateway(etcd.access(), 0), new Keys(PREFIX), Machine.REAL))) {
                late.putPiece(leader.modRevision(), late.keys().parts(given), 0, new byte[] {1, 2, 3});
            }
            try (Node standby = new Node(Node.Parts.of(etcd.endpoints(), "b").with(stores))) {
                await().atMost(Node.PATIENCE)
                        .until(() -> standby.events().size() == 2
                                || standby.ledger.status().reason().contains("damaged"));
                return standby.events().size() == 2;
            }
        }
    }

    private static Etcd.Entry leader(EtcdCluster etcd) throws Exception {
        try (Etcd client = new EtcdGateway(etcd.access(), 0)) {
            return client.read(List.of(Op.Get.one(PREFIX + "leader")), 5000)
                    .found()
                    .get(0)
                    .get(0);
        }
    }

    private static String noise(int length) {
        java.util.Random random = new java.util.Random(3);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(Long.toString(random.nextLong() & Long.MAX_VALUE, 36));
        }
        return text.toString();
    }

    @Test
    void a_late_piece_of_an_abandoned_group_does_not_change_another_group() throws Exception {
        assertThat(playLatePiece(store -> store)).isTrue();
    }

    @Test
    void the_scenario_detects_a_ledger_that_names_parts_by_their_first_event() throws Exception {
        assertThat(playLatePiece(PartsBySeq::new)).isFalse();
    }
}
