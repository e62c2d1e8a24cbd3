package io.muster.measure;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.request.Constraint;
import io.muster.inventory.request.Count;
import io.muster.inventory.request.Jobspec;
import io.muster.inventory.request.Resource;
import io.muster.protocol.admin.FeasibilityRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.client.SentRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The measurements of the server at a URI, which may be a daemon of Muster or a Flux broker. */
final class Measure {
    /** Requests in flight at a time when they are pipelined. */
    static final int WINDOW = 2048;

    /** Steps before the first step that is counted, so that the JVM has compiled the daemon, as after a minute of work. */
    private static final int WARM_UP = 12_000;

    private static final int FIRST = 100;

    static final String CHANGE = "drain sent -> scheduler told";

    private final String uri;
    private final int ranks;
    private final int runs;
    private final int warmUp;

    /** @param runs of each kind; few runs also shorten the warm-up */
    Measure(String uri, int ranks, int runs) {
        this.uri = uri;
        this.ranks = ranks;
        this.runs = runs;
        this.warmUp = Math.min(WARM_UP, 10 * runs);
    }

    Figure change(Floor floor) throws IOException {
        return Figure.of(CHANGE, ranks, change(), floor.change());
    }

    /** A change of a daemon whose disk takes no time, in round trips of a socket: what the code of the daemon itself takes. */
    Figure changeInMemory(Floor floor) throws IOException {
        return Figure.of(CHANGE + ", state in memory", ranks, change(), floor.exchange());
    }

    /** Measures the time from sending a drain or undrain until the scheduler has received the update. */
    private Samples change() throws IOException {
        Samples samples = new Samples(runs);
        try (FluxClient scheduler = FluxClient.connect(uri);
                FluxClient admin = FluxClient.connect(uri);
                ResponseStream stream = scheduler.stream("resource.acquire", null)) {
            stream.next();
            for (int i = -warmUp; i < runs; i++) {
                ObjectNode payload = targets(i);
                long start = System.nanoTime();
                SentRequest call = admin.call(i % 2 == 0 ? "resource.drain" : "resource.undrain", payload);
                stream.next();
                long took = System.nanoTime() - start;
                call.get();
                if (i >= 0) {
                    samples.add(took);
                }
            }
        }
        return samples;
    }

    /** From sending a drain until its answer, for the first hundred since the start: the daemon must not have answered a request before. */
    Figure beginning(Floor floor) throws IOException {
        Samples samples = new Samples(FIRST);
        try (FluxClient admin = FluxClient.connect(uri)) {
            for (int i = 0; i < FIRST; i++) {
                ObjectNode payload = targets(2 * i).put("mode", "overwrite");
                long start = System.nanoTime();
                admin.rpc("resource.drain", payload);
                samples.add(System.nanoTime() - start);
            }
        }
        return Figure.of("first 100 drains after a start", ranks, samples, floor.change());
    }

    /** Each even step drains a rank and the odd one after it undrains the same. */
    private ObjectNode targets(int step) {
        int rank = Math.floorMod(Math.floorDiv(step, 2) * 7919L, ranks);
        return JsonNodeFactory.instance.objectNode().put("targets", Integer.toString(rank));
    }

    /** Measures drains and undrains that are sent without waiting for each response. */
    Figure pipelined(Floor floor) throws IOException {
        int changes = 20 * runs;
        try (FluxClient admin = FluxClient.connect(uri)) {
            pipeline(admin, changes);
            long start = System.nanoTime();
            pipeline(admin, changes);
            double seconds = (System.nanoTime() - start) / 1e9;
            return Figure.once(
                    "pipelined drains and undrains", ranks, Figure.RATE, changes / seconds, floor.pipelined());
        }
    }

    private void pipeline(FluxClient admin, int changes) throws IOException {
        Deque<SentRequest> sent = new ArrayDeque<>();
        for (int i = 0; i < changes; i++) {
            sent.add(admin.call(i % 2 == 0 ? "resource.drain" : "resource.undrain", targets(i)));
            if (sent.size() >= WINDOW) {
                sent.remove().get();
            }
        }
        while (!sent.isEmpty()) {
            sent.remove().get();
        }
    }

    /**
     * Measures the time from sending a drain or undrain until the last of many schedulers has received the update; the daemon must allow
     * several.
     */
    Figure fanOut(int streams, Floor floor) throws IOException {
        int changes = Math.min(runs, Math.max(100, runs / streams));
        Samples samples = new Samples(changes);
        try (FluxClient admin = FluxClient.connect(uri);
                Schedulers schedulers = Schedulers.acquire(uri, streams)) {
            for (int i = -2 * ((changes + 1) / 2); i < changes; i++) { // the first step is a drain
                ObjectNode payload = targets(i);
                long start = System.nanoTime();
                SentRequest call = admin.call(i % 2 == 0 ? "resource.drain" : "resource.undrain", payload);
                schedulers.awaitUpdate();
                long took = System.nanoTime() - start;
                call.get();
                if (i >= 0) {
                    samples.add(took);
                }
            }
        }
        return Figure.of("drain sent -> all " + streams + " told", ranks, samples, floor.change());
    }

    Figure first(Floor floor) throws IOException {
        int acquired = Math.max(1, runs / 10);
        Samples samples = new Samples(acquired);
        for (int i = -warmUp / 4; i < acquired; i++) {
            try (FluxClient scheduler = FluxClient.connect(uri)) {
                long start = System.nanoTime();
                try (ResponseStream stream = scheduler.stream("resource.acquire", null)) {
                    stream.next();
                    if (i >= 0) {
                        samples.add(System.nanoTime() - start);
                    }
                }
            }
        }
        return Figure.of("first acquire response", ranks, samples, floor.exchange());
    }

    /**
     * Measures a jobspec that requests half as many slots of one core as there are ranks, under a constraint on properties.
     *
     * @return null if the server does not answer about feasibility, like a broker without a module for it
     */
    @Nullable
    Figure feasible(Floor floor) throws IOException {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.set("jobspec", jobspec(Math.max(1, ranks / 2)));
        Samples samples = new Samples(runs);
        try (FluxClient client = FluxClient.connect(uri)) {
            for (int i = -warmUp; i < runs; i++) {
                long start = System.nanoTime();
                client.rpc(FeasibilityRequest.TOPIC, payload);
                if (i >= 0) {
                    samples.add(System.nanoTime() - start);
                }
            }
        } catch (RpcException e) {
            if (e.errno().equals(Errno.ENOSYS)) {
                return null;
            }
            throw e;
        }
        return Figure.of("feasibility.check", ranks, samples, floor.exchange());
    }

    private static ObjectNode jobspec(int slots) {
        Resource slot = new Resource(
                Resource.SLOT,
                Count.of(slots),
                Map.of("label", JsonNodeFactory.instance.textNode("task")),
                List.of(Resource.of("core", 1)));
        ObjectNode jobspec = Jobspec.of(List.of(slot), List.of("app"), 3600).toJson();
        ObjectNode constraint = new Constraint.Properties(List.of("^none")).toJson();
        jobspec.withObject("/attributes/system").set("constraints", constraint);
        return jobspec;
    }

    Figure status(Floor floor) throws IOException {
        Samples samples = new Samples(runs);
        try (FluxClient client = FluxClient.connect(uri)) {
            for (int i = -warmUp; i < runs; i++) {
                long start = System.nanoTime();
                client.rpc("resource.status", null);
                if (i >= 0) {
                    samples.add(System.nanoTime() - start);
                }
            }
        }
        return Figure.of("resource.status", ranks, samples, floor.exchange());
    }
}
