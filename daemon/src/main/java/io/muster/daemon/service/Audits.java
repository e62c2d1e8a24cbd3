package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.AcquireStreams;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.Reporter;
import io.muster.daemon.core.Reporters;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Times;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.Expectation;
import io.muster.inventory.status.Marks;
import io.muster.protocol.acquire.SentView;
import io.muster.protocol.admin.AuditAnswer;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks schedulers, through the reporters beside them, what they believe, and compares this with what they were sent. Nothing is changed.
 * A scheduler is asked nothing while a question has no answer, and then rests for ten times the time of its last answer. Runs on the core
 * thread; the comparison runs beside it.
 */
public final class Audits implements Configurable {
    private static final double SHORTEST_REST = 1;
    private static final double LONGEST_REST = 600;
    private static final int RESTS = 10;

    /** How long a request waits for a scheduler that does not answer, and for all answers. */
    private static final int SILENCE_SECONDS = 10;

    private static final int PATIENCE_SECONDS = 30;

    private final Inventory inventory;
    private final Reporters reporters;
    private final AcquireStreams acquires;
    private final Structures structures;
    private final ScheduledExecutorService core;
    private final Aside beside;
    private final Map<Reporter, Audited> audited = new LinkedHashMap<>();
    /** The requests that wait for the end of an audit. */
    private final Set<Replier> waiting = new LinkedHashSet<>();

    private double period;
    private @Nullable ScheduledFuture<?> timer;
    /** The number of hosts with differences; NaN if no scheduler has answered. Threads that compute metrics read this field. */
    private volatile double hosts = Double.NaN;

    public Audits(
            Inventory inventory,
            Reporters reporters,
            AcquireStreams acquires,
            Structures structures,
            ScheduledExecutorService core,
            Aside beside) {
        this.inventory = inventory;
        this.reporters = reporters;
        this.acquires = acquires;
        this.structures = structures;
        this.core = core;
        this.beside = beside;
    }

    @Override
    public void configure(Config next) {
        if (period != next.flux().audit().seconds()) {
            period = next.flux().audit().seconds();
            if (timer != null) {
                timer.cancel(false);
            }
            long millis = (long) (period * 1000);
            timer = period == 0
                    ? null
                    : core.scheduleWithFixedDelay(this::begin, millis, millis, TimeUnit.MILLISECONDS);
        }
    }

    /** Returns the number of hosts about which a scheduler believes something else than it was sent. May be called on any thread. */
    public double hosts() {
        return hosts;
    }

    /** Audits all schedulers and answers with the result, when all have answered or the patience ends. */
    void ask(Replier reply) {
        Answer.Failed elsewhere = inventory.elsewhere();
        if (elsewhere != null) {
            reply.fail(elsewhere.error());
            return;
        }
        waiting.add(reply);
        reply.whenGone(() -> end(reply));
        var unused = core.schedule(() -> end(reply), PATIENCE_SECONDS, TimeUnit.SECONDS);
        begin();
    }

    private void end(Replier reply) {
        if (waiting.remove(reply)) {
            if (reply.isGone()) {
                reply.fail(new RpcException(Errno.ECANCELED, "the peer has gone"));
            } else {
                reply.done(Documents.encode(document()));
            }
        }
    }

    /** Answers the requests if no scheduler is audited any more, except schedulers that do not answer. */
    private void settled() {
        count();
        double asked = inventory.now() - SILENCE_SECONDS + 1; // the timer and this clock are not the same
        if (current().stream().noneMatch(each -> each.isWanted() && !each.isSilent(asked))) {
            List.copyOf(waiting).forEach(this::end);
        }
    }

    /** Returns the schedulers that can be asked. */
    private List<Audited> current() {
        audited.keySet().removeIf(reporter -> !reporters.isOpen(reporter));
        return new ArrayList<>(audited.values());
    }

    private void begin() {
        for (Audited each : current()) {
            each.want();
            step(each);
        }
        settled();
    }

    /** Asks the scheduler if it is time. */
    private void step(Audited of) {
        if (!of.mayAsk() || !reporters.isOpen(of.reporter())) {
            return;
        }
        Expectation now = expectation(of);
        if (now == null) {
            of.failed("no scheduler has acquired the resources under this name");
            return;
        }
        ObjectNode question =
                JsonNodeFactory.instance.objectNode().put(AuditAnswer.QUESTION, of.ask(now, inventory.now()));
        reporters.ask(of.reporter(), Json.encode(question));
        var unused = core.schedule(this::settled, SILENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns what the scheduler should believe now, without the marks above hosts; null if there is no scheduler. */
    private @Nullable Expectation expectation(Audited of) {
        AcquireStream stream = acquires.streamOf(of.reporter().name());
        if (stream == null || !stream.hasBegun()) {
            return null;
        }
        SentView sent = stream.sentView();
        return new Expectation(inventory.state(), sent.view(), sent.offered());
    }

    /** Takes an answer of a reporter. */
    void answered(Reporter reporter, AuditAnswer answer) {
        if (!reporters.isOpen(reporter)) {
            return;
        }
        Audited of = audited.computeIfAbsent(reporter, Audited::new);
        Expectation before = of.take(answer);
        if (before == null) {
            return;
        }
        double rest = Math.min(LONGEST_REST, Math.max(SHORTEST_REST, RESTS * answer.seconds()));
        var unused = core.schedule(
                () -> {
                    of.rested();
                    step(of);
                },
                (long) (rest * 1000),
                TimeUnit.MILLISECONDS);
        Expectation now = expectation(of);
        if (now == null || answer.belief() == null) {
            of.failed(now == null ? "the scheduler has ended" : answer.error());
            settled();
            return;
        }
        Audited.Comparison comparison = of.comparison(before, now, answer.belief());
        beside.run(
                () -> {
                    InventoryState state = now.state();
                    comparison.run(
                            Marks.of(state.notes()).ranksBelow(structures.ofSchedulers(state), state.resources()));
                    return () -> {
                        Command result = of.settle(comparison, answer, inventory.now());
                        if (result != null) { // without room in the journal, the log and the metric still have it
                            inventory.submit(result, Principal.DAEMON, recorded -> {});
                        }
                        step(of);
                        settled();
                    };
                },
                bug -> {
                    of.failed(bug);
                    settled();
                });
    }

    private void count() {
        double sum = Double.NaN;
        for (Audited each : current()) {
            if (each.hasAnswered()) {
                sum = (Double.isNaN(sum) ? 0 : sum) + each.hosts().size();
            }
        }
        hosts = sum;
    }

    private ObjectNode document() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("seq", inventory.committed().seq()).put("time", Times.rfc3339(inventory.now()));
        ArrayNode schedulers = json.putArray("schedulers");
        int differences = 0;
        for (AcquireStream stream : acquires.streams()) {
            SentView sent = stream.sentView();
            ObjectNode one = schedulers.addObject();
            one.put("user", stream.holder().names()).put("owner", stream.owner());
            one.put("since", Times.rfc3339(stream.since()));
            one.put("sent_nnodes", sent.offered().size());
            one.put("sent_nnodes_up", sent.view().up().intersect(sent.offered()).size());
            one.put("behind", stream.isBehind());
            Audited of = current().stream()
                    .filter(each -> each.reporter().name().equals(stream.owner()))
                    .findFirst()
                    .orElse(null);
            Audited.put(of, one, inventory.state().resources());
            differences += one.path("differences").size();
        }
        return json.put("ndifferences", differences);
    }
}
