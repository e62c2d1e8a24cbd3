package io.muster.measure;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Pause;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.protocol.client.ResponseStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures for how long each kind of work occupies the core thread of a daemon that does no other work: the processor time of that
 * thread, as the kernel counts it, so that other programs on the machine do not matter. The time is the sum of all tasks of the core thread
 * that the work causes.
 */
final class CoreTime implements Closeable {
    /** The number of figures of one daemon. */
    static final int FIGURES = 31;

    private static final int PROPERTIES = 10_000;
    private static final int IN_REQUEST = 1000;

    /** Ranges of ranks in one request: the most that the daemon takes. */
    private static final int RANGES = 16_384;

    private static final int NOTES = 10_000;
    private static final int TAGS = 100_000;

    /** An even number, because each second run undoes what the run before did. */
    private static final int MOST_RUNS = 20;

    private static final long SETTLE_MILLIS = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final Subject subject;
    private final FluxClient admin;
    private final int ranks;
    private final int runs;
    private final Consumer<Figure> figures;

    CoreTime(Subject subject, int ranks, int runs, Consumer<Figure> figures) throws IOException {
        this.subject = subject;
        this.admin = FluxClient.connect(subject.uri(), Options.DEFAULT.withTimeout(PATIENCE));
        this.ranks = ranks;
        this.runs = 2 * Math.min((runs + 1) / 2, MOST_RUNS / 2);
        this.figures = figures;
    }

    /** One run of the work that is measured. */
    private interface Work {
        /** @param run the number of the run, from 0 */
        void run(int run) throws IOException;
    }

    @Override
    public void close() throws IOException {
        admin.close();
    }

    void measure() throws IOException {
        for (int i = 0; i < PROPERTIES; i += IN_REQUEST) {
            ObjectNode properties = JsonNodeFactory.instance.objectNode();
            for (int j = i; j < i + IN_REQUEST; j++) {
                properties.put("p" + j, Integer.toString(j % ranks));
            }
            admin.rpc(
                    "resource.property-add",
                    JsonNodeFactory.instance.objectNode().set("properties", properties));
        }
        measure("");
        schedulers();
        notes();
        Idset scattered = everySecond();
        for (Idset part = scattered; !part.isEmpty(); part = part.subtract(first(part))) {
            change("drain", first(part));
            change("offline", first(part));
        }
        measure(", scattered");
        expire("the holds of one request expire, scattered", first(scattered));
        expire("the holds of many requests expire, scattered", scattered);
    }

    private void measure(String where) throws IOException {
        figure(
                "drain or undrain of one rank" + where,
                runs,
                run -> change(run % 2 == 0 ? "drain" : "undrain", Idset.of(1)));
        figure("first acquire response" + where, runs, run -> {
            try (FluxClient scheduler = FluxClient.connect(subject.uri())) {
                scheduler.stream("resource.acquire", null).next();
            }
        });
        figure("scrape of the metrics" + where, runs, run -> subject.scrape());
        ResourceSet all = hosts("node[0-" + (ranks - 1) + "]");
        figure("resource.reload: the same R" + where, runs, reload(all, all));
        figure(
                "resource.reload: one host more or less" + where,
                runs,
                reload(hosts("node[0-" + (ranks - 1) + "],one"), all));
        String halves = "node[" + ranks / 2 + "-" + (ranks - 1) + ",0-" + (ranks / 2 - 1) + "]";
        figure("resource.reload: two halves change places" + where, runs, reload(hosts(halves), all));
        figure(
                "resource.reload: every second host leaves or returns" + where,
                runs,
                reload(all.remove(everySecond()), all));
        figure("SIGHUP: nothing has changed" + where, runs, run -> subject.hangup(""));
        figure("SIGHUP: one host excluded or included" + where, runs, exclude("1"));
        figure(
                "SIGHUP: every second host excluded or included" + where,
                runs,
                exclude(everySecond().toString()));
        subject.hangup("");
        try (FluxClient scheduler = FluxClient.connect(subject.uri());
                ResponseStream stream = scheduler.stream("resource.acquire", null)) {
            stream.next();
            figure("SIGHUP under a scheduler: nothing has changed" + where, runs, run -> subject.hangup(""));
            figure("SIGHUP under a scheduler: a property of all" + where, runs, run -> {
                subject.hangup("[[resource.config]]\nhosts = \"node[0-" + (ranks - 1) + "]\"\nproperties = [\"even"
                        + run + "\"]\n");
                stream.next();
            });
        }
        subject.hangup("");
    }

    private void schedulers() throws IOException {
        for (int count : new int[] {1, 10, 100}) {
            try (Schedulers schedulers = Schedulers.acquire(subject.uri(), count)) {
                figure("drain or undrain of one rank, told to " + count + " schedulers", runs, run -> {
                    change(run % 2 == 0 ? "drain" : "undrain", Idset.of(1));
                    schedulers.awaitUpdate();
                });
            }
        }
    }

    private void notes() throws IOException {
        int step = Math.min(NOTES, ranks / 2);
        figure("resource.annotate of " + step + " vertices", runs, run -> annotate(0, step, Integer.toString(run)));
        int all = Math.min(TAGS, ranks / 2);
        for (int from = 0; from < all; from += step) {
            annotate(from, Math.min(step, all - from), "stored");
        }
        figure(
                "drain or undrain of one rank, with " + all + " tags",
                runs,
                run -> change(run % 2 == 0 ? "drain" : "undrain", Idset.of(1)));
        for (int from = 0; from < all; from += step) {
            annotate(from, Math.min(step, all - from), null);
        }
    }

    /** Tags one GPU of every second host, so that the state stores each tag separately. */
    private void annotate(int from, int count, @Nullable String value) throws IOException {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        ArrayNode paths = payload.putArray("paths");
        for (int i = from; i < from + count; i++) {
            paths.add("/cluster0/node" + 2 * i + "/gpu3");
        }
        payload.putObject("tag").put("firmware", value);
        admin.rpc("resource.annotate", payload);
    }

    /** Measures the end of holds that end at the same moment, however many requests made them. */
    private void expire(String what, Idset ranks) throws IOException {
        double until = System.currentTimeMillis() / 1000.0 + 10 + (double) ranks.size() / RANGES;
        for (Idset rest = ranks; !rest.isEmpty(); rest = rest.subtract(first(rest))) {
            ObjectNode payload = JsonNodeFactory.instance.objectNode();
            payload.put("targets", first(rest).toString())
                    .put("holder", "timed")
                    .put("until", until);
            admin.rpc("resource.drain", payload);
        }
        figure(what, 1, run -> {
            while (System.currentTimeMillis() / 1000.0 < until + 1) {
                Pause.of(SETTLE_MILLIS);
            }
        });
    }

    private void change(String what, Idset ranks) throws IOException {
        ObjectNode payload = JsonNodeFactory.instance.objectNode().put("targets", ranks.toString());
        admin.rpc("resource." + what, what.equals("drain") ? payload.put("mode", "overwrite") : payload);
    }

    /** Returns work that loads one R and the other in turn. */
    private Work reload(ResourceSet even, ResourceSet odd) throws IOException {
        Path first = Files.writeString(subject.directory().resolve("even.json"), even.toString());
        Path second = Files.writeString(subject.directory().resolve("odd.json"), odd.toString());
        return run -> admin.rpc(
                ReloadRequest.TOPIC,
                new ReloadRequest((run % 2 == 0 ? first : second).toString(), false, true).toJson());
    }

    private Work exclude(String ranks) {
        return run -> subject.hangup(run % 2 == 0 ? "[resource]\nexclude = \"" + ranks + "\"\n" : "");
    }

    private static ResourceSet hosts(String hosts) {
        Hostlist names = Hostlist.parse(hosts);
        return ResourceSet.of(names, Idset.range(0, names.size() - 1), Idset.range(0, 63), Idset.range(0, 7), Map.of());
    }

    private Idset everySecond() {
        Idset.Builder even = Idset.builder();
        for (int rank = 0; rank < ranks; rank += 2) {
            even.add(rank);
        }
        return even.build();
    }

    private static Idset first(Idset ranks) {
        return ranks.size() <= RANGES ? ranks : ranks.intersect(Idset.range(0, ranks.nth(RANGES) - 1));
    }

    private void figure(String what, int times, Work work) throws IOException {
        Samples samples = new Samples(times);
        for (int run = 0; run < times; run++) {
            Pause.of(SETTLE_MILLIS);
            long before = subject.coreNanos();
            work.run(run);
            Pause.of(SETTLE_MILLIS);
            samples.add(subject.coreNanos() - before);
        }
        figures.accept(Figure.of(what, ranks, samples, 0));
    }
}
