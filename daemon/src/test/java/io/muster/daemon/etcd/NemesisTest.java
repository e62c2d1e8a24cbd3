package io.muster.daemon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.journal.MemoryDisk;
import io.muster.daemon.ledger.Outcome;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three daemons on three members of etcd under random faults. The test records each answer and then compares the answers with the log:
 * every change that was answered as made is in the log once, no change that was answered as failed is in the log, and a change that was
 * answered before another change was sent precedes it.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
@Needs({"etcd", "etcdctl"})
@Tag("long")
@Tag("nemesis")
final class NemesisTest {
    private static final int NODES = 3;
    private static final int ROUNDS = Integer.getInteger("muster.nemesis.rounds", 4);

    @TempDir
    Path directory;

    /** An answer, with the times in nanoseconds at which the change was sent and answered. */
    private record Answer(String text, long sent, long answered, Outcome outcome) {}

    private final ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final List<List<Proxy>> proxies = new ArrayList<>();
    private final List<MemoryDisk> disks = new ArrayList<>();
    private final Node[] nodes = new Node[NODES];
    private @Nullable EtcdCluster running;

    private Node.Parts parts(int i) {
        return Node.Parts.of(proxies.get(i).stream().map(Proxy::uri).toList(), "n" + i)
                .on(disks.get(i))
                .patient(Duration.ofSeconds(4));
    }

    /** Sends one change after another to the current leader. */
    private void load(int writer) {
        int count = 0;
        while (!ended.get()) {
            for (Node node : nodes.clone()) {
                if (node.leads()) {
                    String text = "w" + writer + "-" + count++;
                    long sent = System.nanoTime();
                    try {
                        Outcome outcome = node.write(text).get(90, TimeUnit.SECONDS);
                        answers.add(new Answer(text, sent, System.nanoTime(), outcome));
                    } catch (Exception e) {
                        // not answered: the change may be in the log or not
                    }
                }
            }
            LockSupport.parkNanos(100_000);
        }
    }

    private EtcdCluster etcd() {
        return Objects.requireNonNull(running);
    }

    private void fault(Random random) throws Exception {
        EtcdCluster etcd = etcd();
        int i = random.nextInt(NODES);
        List<Proxy> links = proxies.get(i);
        switch (random.nextInt(7)) {
            case 0 -> {
                cut(links);
                pause(random);
                mend(links);
            }
            case 1 -> {
                links.forEach(Proxy::keepAnswers);
                pause(random);
                cut(links);
                mend(links);
            }
            case 2 -> {
                links.forEach(Proxy::keepRequests);
                pause(random);
                mend(links);
            }
            case 3 -> {
                etcd.pause(i);
                pause(random);
                etcd.resume(i);
            }
            case 4 -> {
                etcd.kill(i);
                pause(random);
                etcd.startMember(i);
                etcd.awaitMember(i);
            }
            case 5 -> {
                nodes[i].close();
                nodes[i] = new Node(parts(i));
            }
            default -> {
                for (int member = 0; member < NODES; member++) {
                    etcd.pause(member);
                }
                pause(random);
                for (int member = 0; member < NODES; member++) {
                    etcd.resume(member);
                }
            }
        }
    }

    private static void cut(List<Proxy> links) throws IOException {
        for (Proxy link : links) {
            link.cut();
        }
    }

    private static void mend(List<Proxy> links) {
        links.forEach(Proxy::mend);
    }

    private static void pause(Random random) {
        long millis = 200L + random.nextInt(4000);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        await().atMost(Node.PATIENCE).until(() -> System.nanoTime() > end);
    }

    @Test
    void the_log_is_consistent_with_every_answer_under_random_faults() throws Exception {
        assertThat(run(1L + System.nanoTime() % 1000, store -> store)).isEmpty();
    }

    private List<String> run(long seed, UnaryOperator<Store> stores) throws Exception {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        EtcdCluster etcd = EtcdCluster.quick(directory, NODES);
        running = etcd;
        List<Thread> writers = new ArrayList<>();
        try {
            for (int i = 0; i < NODES; i++) {
                List<Proxy> links = new ArrayList<>();
                for (int member = 0; member < NODES; member++) {
                    links.add(new Proxy(etcd.endpoints().get(member)));
                }
                proxies.add(links);
                disks.add(new MemoryDisk());
                nodes[i] = new Node(parts(i).with(stores));
            }
            for (int i = 0; i < 4; i++) {
                int writer = i;
                Thread thread = new Thread(() -> load(writer));
                thread.start();
                writers.add(thread);
            }
            for (int round = 0; round < ROUNDS; round++) {
                pause(random);
                fault(random);
            }
            pause(random);
            ended.set(true);
            for (Thread writer : writers) {
                writer.join(100_000);
            }
            return verdict();
        } finally {
            ended.set(true);
            for (Node node : nodes) {
                if (node != null) {
                    node.close();
                }
            }
            for (List<Proxy> links : proxies) {
                for (Proxy link : links) {
                    link.close();
                }
            }
            etcd.close();
        }
    }

    /** Returns the violations; empty if there are none. */
    private List<String> verdict() throws Exception {
        List<String> wrong = new ArrayList<>();
        try (Node witness = new Node(Node.Parts.of(etcd().endpoints(), "witness"))) {
            await().atMost(Node.PATIENCE).until(() -> {
                List<String> events = witness.events();
                return !events.isEmpty()
                        && events.equals(nodes[0].events())
                        && events.equals(nodes[1].events())
                        && events.equals(nodes[2].events());
            });
            Map<String, Integer> places = new HashMap<>();
            List<String> events = witness.events();
            for (int i = 0; i < events.size(); i++) {
                if (places.put(events.get(i), i) != null) {
                    wrong.add(events.get(i) + " is there twice");
                }
            }
            wrong.addAll(judge(places));
            for (Node node : nodes) {
                node.warnings().stream()
                        .filter(warning -> warning.startsWith("BUG"))
                        .forEach(wrong::add);
            }
        }
        return wrong;
    }

    private List<String> judge(Map<String, Integer> places) {
        List<String> wrong = new ArrayList<>();
        TreeMap<Long, Integer> answered = new TreeMap<>();
        int durable = 0;
        int open = 0;
        for (Answer answer : answers) {
            Integer place = places.get(answer.text);
            boolean uncertain = answer.outcome.reason().contains("may have been made");
            if (answer.outcome.durable() && place == null) {
                wrong.add(answer.text + " was answered and is lost");
            } else if (!answer.outcome.durable() && !uncertain && place != null) {
                wrong.add(answer.text + " was refused and is there: " + answer.outcome);
            }
            if (answer.outcome.durable() && place != null) {
                durable++;
                answered.put(answer.answered, place);
            }
            open += uncertain ? 1 : 0;
        }
        int highest = -1;
        TreeMap<Long, Integer> highestBy = new TreeMap<>();
        for (Map.Entry<Long, Integer> entry : answered.entrySet()) {
            highest = Math.max(highest, entry.getValue());
            highestBy.put(entry.getKey(), highest);
        }
        for (Answer answer : answers) {
            Map.Entry<Long, Integer> before = highestBy.lowerEntry(answer.sent);
            Integer place = places.get(answer.text);
            if (answer.outcome.durable() && place != null && before != null && before.getValue() > place) {
                wrong.add(answer.text + " stands before a change that was answered before it was sent");
            }
        }
        System.out.println(
                "answers " + answers.size() + ", durable " + durable + ", open " + open + ", events " + places.size());
        return wrong;
    }
}
