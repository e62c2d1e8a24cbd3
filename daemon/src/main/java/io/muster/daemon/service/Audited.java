package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.Reporter;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Holds;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.AuditChanges;
import io.muster.inventory.state.Command;
import io.muster.inventory.status.Belief;
import io.muster.inventory.status.Divergence;
import io.muster.inventory.status.Expectation;
import io.muster.inventory.status.JobUsage;
import io.muster.protocol.admin.AuditAnswer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A scheduler that is audited: the question that has no answer, and what came of the last answers. A difference counts if two answers in
 * succession have it. Therefore a question whose answer has a new difference is asked once more.
 */
final class Audited {
    private static final Logger log = LoggerFactory.getLogger("audit");

    /** The number of differences that a line of the log names. */
    private static final int MOST_NAMED = 5;

    /** How long after a drain a report of jobs may still be about the time before the drain. */
    private static final double USAGE_SECONDS = 5;

    private final Reporter reporter;
    private boolean wanted;
    private boolean again;
    private boolean rests;
    private long number;
    /** What the scheduler should have believed when it was asked; null if it has answered. */
    private @Nullable Expectation before;

    private double askedAt;
    private double answeredAt;
    private AuditAnswer last = new AuditAnswer(0, 0, 0, "", null, null);
    private String error = "";
    private SortedMap<Divergence, Idset> candidates = Collections.emptySortedMap();
    private List<Found> found = List.of();
    /** The ranks that no job used after they were drained. */
    private Idset idle = Idset.EMPTY;

    /** @param since time of the first answer that had the difference */
    private record Found(Divergence divergence, Idset ranks, double since) {}

    Audited(Reporter reporter) {
        this.reporter = reporter;
    }

    Reporter reporter() {
        return reporter;
    }

    /** Returns whether an audit has begun and has not ended. */
    boolean isWanted() {
        return wanted;
    }

    /** Returns whether a question that was asked until this time has no answer. */
    boolean isSilent(double time) {
        return before != null && askedAt <= time;
    }

    void want() {
        wanted = true;
    }

    boolean mayAsk() {
        return wanted && before == null && !rests;
    }

    void rested() {
        rests = false;
    }

    boolean hasAnswered() {
        return answeredAt > 0;
    }

    /** Returns the number of a new question. */
    long ask(Expectation now, double time) {
        before = now;
        askedAt = time;
        number++;
        return number;
    }

    /** Returns what the scheduler should have believed when it was asked this question; null if it was not asked, or has answered. */
    @Nullable
    Expectation take(AuditAnswer answer) {
        Expectation asked = answer.question() == number ? before : null;
        if (asked != null) {
            before = null;
            rests = true;
        }
        return asked;
    }

    void failed(String sentence) {
        if (!sentence.equals(error)) {
            log.warn("{} is not audited: {}", reporter.name(), sentence);
        }
        error = sentence;
        wanted = false;
        again = false;
    }

    /** One belief, and what it is compared with. */
    static final class Comparison {
        private final Expectation before;
        private final Expectation now;
        private final Belief belief;
        private final @Nullable JobUsage usage;
        private final Audited of;
        private SortedMap<Divergence, Idset> result = new TreeMap<>();
        private Idset idle = Idset.EMPTY;

        private Comparison(Audited of, Expectation before, Expectation now, Belief belief) {
            this.of = of;
            this.before = before;
            this.now = now;
            this.belief = belief;
            this.usage = of.reporter.usage();
        }

        /**
         * Compares the belief. Only what was to be believed during the whole question counts.
         *
         * @param marked ranks below marked vertices
         */
        void run(Idset marked) {
            result = both(now.compare(belief, marked), before.compare(belief, marked));
            if (usage != null) {
                Idset held = now.state().holds().held();
                Idset started = drainedBefore(of.answeredAt).intersect(of.idle);
                Idset known = of.candidates
                        .getOrDefault(new Divergence(Divergence.Kind.ALLOCATED_DRAINED, ""), Idset.EMPTY)
                        .intersect(held);
                result.putAll(now.jobs(usage.allocated(), started.union(known)));
                idle = drainedBefore(usage.time() - USAGE_SECONDS).subtract(usage.allocated());
            }
        }

        private Idset drainedBefore(double time) {
            Holds holds = now.state().holds();
            return Idset.unionOf(holds.groups().entrySet().stream()
                    .filter(group -> oldest(group.getKey()) <= time)
                    .map(Map.Entry::getValue));
        }

        private static double oldest(HoldSet holds) {
            return holds.oldest().since();
        }
    }

    Comparison comparison(Expectation asked, Expectation now, Belief belief) {
        return new Comparison(this, asked, now, belief);
    }

    private static SortedMap<Divergence, Idset> both(SortedMap<Divergence, Idset> a, SortedMap<Divergence, Idset> b) {
        SortedMap<Divergence, Idset> common = new TreeMap<>();
        a.forEach((divergence, ranks) -> {
            Idset shared = ranks.intersect(b.getOrDefault(divergence, Idset.EMPTY));
            if (!shared.isEmpty()) {
                common.put(divergence, shared);
            }
        });
        return common;
    }

    /**
     * Ends the question. If it has found something new, the audit goes on with another question, once.
     *
     * @return the command that records the result if it differs from the one before; null if it does not
     */
    @Nullable
    Command settle(Comparison comparison, AuditAnswer answer, double now) {
        SortedMap<Divergence, Idset> confirmed = both(comparison.result, candidates);
        boolean isNew = !confirmed.equals(comparison.result);
        candidates = comparison.result;
        idle = comparison.idle;
        last = answer;
        answeredAt = now;
        error = "";
        boolean changed = found(confirmed, now);
        again = isNew && !again;
        wanted = again;
        return changed ? report() : null;
    }

    private boolean found(SortedMap<Divergence, Idset> confirmed, double now) {
        List<Found> next = new ArrayList<>();
        SortedMap<Divergence, Idset> left = new TreeMap<>(confirmed);
        for (Found each : found) {
            Idset still = each.ranks.intersect(left.getOrDefault(each.divergence, Idset.EMPTY));
            if (!still.isEmpty()) {
                next.add(new Found(each.divergence, still, each.since));
                left.merge(each.divergence, still, Idset::subtract);
            }
        }
        boolean changed = next.size() != found.size();
        for (Map.Entry<Divergence, Idset> each : left.entrySet()) {
            if (!each.getValue().isEmpty()) {
                next.add(new Found(each.getKey(), each.getValue(), now));
                changed = true;
            }
        }
        found = next;
        return changed;
    }

    private Command report() {
        String differences = found.stream()
                .map(each -> each.divergence.sentence())
                .distinct()
                .limit(MOST_NAMED)
                .collect(Collectors.joining("; "));
        Command result = new AuditChanges.RecordAudit(reporter.name(), hosts(), differences);
        if (found.isEmpty()) {
            log.info("{} believes what it was sent", reporter.name());
            return result;
        }
        String named = found.stream()
                .limit(MOST_NAMED)
                .map(each -> "ranks " + each.ranks + ": " + each.divergence.sentence())
                .collect(Collectors.joining("; "));
        log.warn("{} differs from what it was sent about {} hosts: {}", reporter.name(), hosts().size(), named);
        return result;
    }

    /** Returns the ranks with differences. */
    Idset hosts() {
        return Idset.unionOf(found.stream().map(Found::ranks));
    }

    /**
     * Adds the result of the last audit.
     *
     * @param of null for a scheduler that cannot be asked
     */
    static void put(@Nullable Audited of, ObjectNode json, ResourceSet resources) {
        json.put("can_be_asked", of != null)
                .putNull("asked")
                .put("waits", false)
                .putNull("answered");
        json.putNull("seconds").putNull("cost").putNull("error").putArray("differences");
        if (of != null) {
            of.put(json, resources);
        }
    }

    private void put(ObjectNode json, ResourceSet resources) {
        if (askedAt > 0) {
            json.put("asked", Times.rfc3339(askedAt)).put("waits", before != null);
        }
        if (answeredAt > 0) {
            json.put("answered", Times.rfc3339(answeredAt));
            json.put("seconds", last.seconds()).put("cost", last.cost());
        }
        if (!error.isEmpty()) {
            json.put("error", error);
        }
        ArrayNode rows = json.withArray("differences");
        for (Found each : found) {
            Idset ranks = each.ranks.intersect(resources.ranks());
            rows.addObject()
                    .put("difference", each.divergence.kind().word())
                    .put("what", each.divergence.what())
                    .put("sentence", each.divergence.sentence())
                    .put("hosts", resources.hostsOf(ranks).toString())
                    .put("ranks", ranks.toString())
                    .put("nnodes", ranks.size())
                    .put("since", Times.rfc3339(each.since));
        }
    }
}
