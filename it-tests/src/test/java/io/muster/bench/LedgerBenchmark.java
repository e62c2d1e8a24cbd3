package io.muster.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.etcd.BareEtcd;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.LedgerDaemons;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.SentRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures how long a daemon takes for a change, and how many changes a second it makes, with a ledger of files and with one on an etcd of
 * one and of three members on this machine, beside transactions of the same etcd that write one key each. A daemon
 * speaks to any member, so transactions are measured at etcd's leader and at a follower. Prints a table in Markdown. Run it
 * on the disk that is to be measured: {@code java -cp ... io.muster.bench.LedgerBenchmark /var/tmp/ledger 2000 100000}, with a directory that
 * is empty or missing, the number of lone changes and the number of pipelined changes.
 */
public final class LedgerBenchmark {
    /** Lone changes and bare transactions take turns, because the speed of a machine changes from one second to the next. */
    private static final int TURNS = 10;

    private static final int FEW = 256;
    private static final int MANY = 16_384;
    /** About as many bytes as a change has in etcd. */
    private static final int BYTES = 400;

    private static final String HOSTS = DaemonProcess.Setup.nodes("node[0-63]");
    private static final byte[] VALUE = new byte[BYTES];

    private final int lone;
    private final int pipelined;

    private LedgerBenchmark(int lone, int pipelined) {
        this.lone = lone;
        this.pipelined = pipelined;
    }

    public static void main(String[] args) throws Exception {
        LedgerBenchmark benchmark = new LedgerBenchmark(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        Path directory = Files.createDirectories(Path.of(args[0]).toAbsolutePath());
        System.out.println("| what | lone: least | median | 99th percentile | a second, " + FEW
                + " in flight | a second, " + MANY + " in flight |");
        System.out.println("|---|---|---|---|---|---|");
        benchmark.measureFiles(Files.createDirectory(directory.resolve("file")));
        for (int members : new int[] {1, 3}) {
            benchmark.measureEtcd(Files.createDirectory(directory.resolve("etcd-" + members)), members);
        }
    }

    /** Starts a daemon with the memory options of the launcher. */
    private static DaemonProcess start(DaemonProcess.Setup setup) {
        return setup.jvm("-XX:+UseSerialGC", "-Xms16m", "-Xmx1g", "-XX:MaxTenuringThreshold=1", "-XX:MetaspaceSize=64m")
                .start();
    }

    private interface Step {
        void run(int i) throws IOException;
    }

    private static void change(FluxClient client, int i) throws IOException {
        client.rpc(topic(i), targets(i));
    }

    private static String topic(int i) {
        return i % 2 == 0 ? "resource.drain" : "resource.undrain";
    }

    private static ObjectNode targets(int i) {
        return JsonNodeFactory.instance.objectNode().put("targets", Integer.toString(i / 2 % 64));
    }

    private void measureFiles(Path directory) throws IOException {
        try (DaemonProcess daemon = start(DaemonProcess.Setup.in(directory, HOSTS));
                FluxClient client = daemon.connect()) {
            List<long[]> times = alone(List.of(i -> change(client, i)));
            print("a change, ledger of files", times.get(0), rate(client, FEW), rate(client, MANY));
        }
    }

    private void measureEtcd(Path directory, int members) throws Exception {
        String where = "etcd of " + members + (members == 1 ? " member" : " members");
        try (EtcdCluster etcd = EtcdCluster.start(directory, members, "--quota-backend-bytes=8589934592");
                BareEtcd leader = new BareEtcd(etcd.endpoints(), etcd.leader());
                BareEtcd follower = new BareEtcd(etcd.endpoints(), etcd.leader() + 1);
                DaemonProcess daemon = start(LedgerDaemons.setup(directory.resolve("daemon"), etcd, HOSTS));
                FluxClient client = daemon.connect()) {
            List<long[]> times = alone(List.of(
                    i -> leader.put("bare", VALUE),
                    i -> follower.put("bare", VALUE),
                    i -> leader.append(VALUE),
                    i -> change(client, i)));
            print("a bare transaction at the leader, " + where, times.get(0), bareRate(etcd), 0);
            if (members > 1) {
                print("a bare transaction at a follower, " + where, times.get(1), 0, 0);
            }
            print("the ledger's transaction alone, " + where, times.get(2), 0, 0);
            print("a change, " + where, times.get(3), rate(client, FEW), rate(client, MANY));
        }
    }

    /** The times of steps that take turns, one at a time; a third of the steps is a warm-up. */
    private List<long[]> alone(List<Step> steps) throws IOException {
        List<long[]> times = new ArrayList<>();
        steps.forEach(step -> times.add(new long[lone]));
        int turn = Math.max(2, lone / TURNS / 2 * 2);
        for (int from = -lone / 2 / turn * turn; from < lone; from += turn) {
            for (int which = 0; which < steps.size(); which++) {
                for (int i = from; i < Math.min(lone, from + turn); i++) {
                    long start = System.nanoTime();
                    steps.get(which).run(Math.floorMod(i, lone / 2 * 2));
                    if (i >= 0) {
                        times.get(which)[i] = System.nanoTime() - start;
                    }
                }
            }
        }
        return times;
    }

    /** Changes a second with a number of them in flight, on one connection. */
    private double rate(FluxClient client, int window) throws IOException {
        Deque<SentRequest> open = new ArrayDeque<>();
        long start = System.nanoTime();
        for (int i = 0; i < pipelined; i++) {
            if (open.size() == window) {
                open.remove().get();
            }
            open.add(client.call(topic(i), targets(i)));
        }
        while (!open.isEmpty()) {
            open.remove().get();
        }
        return pipelined / ((System.nanoTime() - start) / 1e9);
    }

    /** Transactions a second over a number of connections, because a connection takes one at a time. */
    private double bareRate(EtcdCluster etcd) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(FEW);
        try {
            int each = Math.max(1, pipelined / 4 / FEW);
            List<Future<?>> ends = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < FEW; i++) {
                int first = i;
                ends.add(threads.submit(() -> {
                    try (BareEtcd bare = new BareEtcd(etcd.endpoints(), first)) {
                        for (int n = 0; n < each; n++) {
                            bare.put("bare" + first, VALUE);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
            return each * FEW / ((System.nanoTime() - start) / 1e9);
        } finally {
            threads.shutdownNow();
        }
    }

    /** A rate of 0 was not measured. */
    private static void print(String what, long[] times, double few, double many) {
        long[] sorted = times.clone();
        Arrays.sort(sorted);
        System.out.printf(
                Locale.ROOT,
                "| %s | %.2f ms | %.2f ms | %.2f ms | %s | %s |%n",
                what,
                sorted[0] / 1e6,
                sorted[sorted.length / 2] / 1e6,
                sorted[(int) (sorted.length * 0.99)] / 1e6,
                rounded(few),
                rounded(many));
    }

    private static String rounded(double rate) {
        return rate == 0 ? "" : String.format(Locale.ROOT, "%,.0f", rate);
    }
}
