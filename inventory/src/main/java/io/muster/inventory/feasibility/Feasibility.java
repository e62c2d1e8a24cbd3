package io.muster.inventory.feasibility;

import io.muster.inventory.axis.Times;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Resource;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether an inventory could ever satisfy a request, and whether the hosts that are up could satisfy it now.
 *
 * <p>Definition of a match: every requested vertex with children, and every requested node, matches a separate vertex somewhere
 * below its parent's match; a requested leaf matches that many units of the pools below its parent's match; a slot without a
 * node is within one host, and slots may share hosts. A request fits if it fits with every count at its minimum, so operators
 * and maxima do not matter. Constraints choose hosts.
 *
 * <p>The factory methods fold nodes into kinds; the cost of a question then depends on the number of kinds and of intervals of
 * ranks. All requests for one kind of slot or node, and for several kinds of whole node, are answered exactly. Requests for
 * slots of several kinds that share hosts are answered exactly within {@link VectorPacking#BUDGET} steps, and requests for
 * structures that compete for their parts by bounds; otherwise the answer is UNKNOWN.
 */
public final class Feasibility {
    private final ResourceSet r;
    private final Stock stock;
    /** The stock without the vertices of the graph that are down. */
    private final Stock usable;
    /** Remarks for users about the vertices that are down. */
    private final List<String> remarks;

    private Feasibility(ResourceSet r, Stock stock, Stock usable, List<String> remarks) {
        this.r = r;
        this.stock = stock;
        this.usable = usable;
        this.remarks = remarks;
    }

    public static Feasibility of(ResourceSet r) {
        Stock stock = Stock.of(r);
        return new Feasibility(r, stock, stock, List.of());
    }

    /**
     * Uses the structure within and above nodes that {@code graph} describes. Vertices with a state such as down, and
     * everything below them, cannot be used now.
     */
    public static Feasibility of(ResourceSet r, ResourceGraph graph) {
        Stock stock = Stock.of(r, graph, Idset.EMPTY);
        Idset lost = graph.unusable();
        return lost.isEmpty()
                ? new Feasibility(r, stock, stock, List.of())
                : new Feasibility(r, stock, Stock.of(r, graph, lost), List.of("some vertices of the graph are down"));
    }

    /**
     * Returns the same machine, in which the vertices that are down in {@code graph} cannot be used now.
     *
     * @param graph the graph of this machine with states; it may describe nodes in more detail than this machine knows
     * @param ranks the ranks of the nodes for which {@code graph} has another state than this machine
     * @param more remarks about these states
     */
    public Feasibility marked(ResourceGraph graph, Idset ranks, List<String> more) {
        Idset lost = graph.unusable();
        List<String> all = new ArrayList<>(lost.isEmpty() ? List.of() : remarks);
        all.addAll(more);
        Idset changed = isAllUsable() ? ranks : r.ranks();
        return new Feasibility(
                r, stock, lost.isEmpty() ? stock : Stock.of(r, graph, lost, changed, stock.cells()), all);
    }

    /**
     * Returns the same machine under another R, with fewer ranks, other properties or another expiration. The cost depends on
     * the number of kinds of nodes and of intervals of ranks; no graph is read again.
     */
    public Feasibility with(ResourceSet other) {
        Stock kept = stock.keep(other.ranks());
        return new Feasibility(other, kept, isAllUsable() ? kept : usable.keep(other.ranks()), remarks);
    }

    @SuppressWarnings("ReferenceEquality") // of() uses one object for both if there is no difference
    private boolean isAllUsable() {
        return stock == usable;
    }

    /** Returns the number of distinct kinds of node. */
    public int kinds() {
        return stock.cells().size();
    }

    /** Decides whether the request fits if every host is up and free. */
    public Assessment ever(JobRequest request) {
        return ask(request, stock, r.ranks());
    }

    /**
     * Decides whether the request fits the hosts in {@code up}, after the start time of R and before R expires. Muster does not know
     * allocations, so every host counts as free.
     */
    public Assessment now(JobRequest request, Idset up, double now) {
        Assessment ever = ever(request);
        if (ever.verdict() != Verdict.YES && ever.verdict() != Verdict.UNKNOWN) {
            return ever;
        }
        @Nullable String fault = r.starttime() > now ? early(now) : late(request, now);
        if (fault != null) {
            return ever.with(Verdict.NOT_NOW, fault);
        }
        Idset lost = stock.ranks().subtract(usable.ranks());
        Assessment answer = ask(request, usable, up.subtract(lost));
        for (String remark : remarks) {
            answer = answer.remarking(remark);
        }
        if (answer.verdict() == Verdict.NEVER) {
            return answer.with(Verdict.NOT_NOW, notNow(ever.verdict(), request, up, lost, answer));
        }
        return r.expiration() > 0 && request.duration() <= 0
                ? answer.remarking("a job without a duration runs until the inventory expires, "
                        + seconds(r.expiration() - now) + " from now")
                : answer;
    }

    /** @param lost ranks whose node, or a vertex that contains the node, is down in the graph */
    private String notNow(Verdict ever, JobRequest request, Idset up, Idset lost, Assessment answer) {
        Idset wanted = request.constraint().matches(r);
        Idset down = wanted.subtract(up);
        Idset within = wanted.intersect(lost).subtract(down);
        int upCount = wanted.size() - down.size();
        return (ever == Verdict.YES ? "fits the inventory, not now: " : "not now, and perhaps never: ")
                + (upCount == 0 ? "none" : String.valueOf(upCount)) + " of " + wanted.size() + " nodes up"
                + (down.isEmpty() ? "" : " (down: " + Reason.hosts(r, down) + ")")
                + (within.isEmpty() ? "" : ", but not usable: " + Reason.hosts(r, within))
                + (upCount == 0 ? "" : "; " + answer.sentence());
    }

    /** Returns a sentence that says from when the resources may be used. */
    private String early(double now) {
        return "R starts at " + Times.second(r.starttime()) + ", " + Times.span(r.starttime() - now) + " from now";
    }

    /**
     * Returns a sentence that says why the request would end too late, or null. RFC 20's expiration may change, so the
     * sentence is never a reason for NEVER.
     */
    private @Nullable String late(JobRequest request, double now) {
        double remaining = r.expiration() - now;
        if (r.expiration() <= 0) {
            return null;
        }
        if (remaining <= 0) {
            return "the inventory has expired";
        }
        return request.duration() > remaining
                ? "the duration of " + seconds(request.duration())
                        + " is more than the inventory's remaining lifetime of " + seconds(remaining)
                : null;
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, seconds == Math.rint(seconds) ? "%.0fs" : "%.1fs", seconds);
    }

    private Assessment ask(JobRequest request, Stock all, Idset available) {
        Sought sought = new Sought(request.resources(), all, r);
        Assessment answer = ask(request, all, available, sought);
        for (String remark : sought.remarks()) {
            answer = answer.remarking(remark);
        }
        return request.resources().stream().anyMatch(Feasibility::hasId)
                ? answer.remarking("ids of resources are ignored")
                : answer;
    }

    /**
     * Answers a request for vertices with properties. If every vertex of a type is requested with the same properties, other
     * vertices of the type do not matter. If the request asks for nodes with properties, only slots outside of its nodes may
     * use other hosts.
     */
    private Assessment ask(JobRequest request, Stock all, Idset available, Sought sought) {
        if (sought.isNothing()) {
            return fit(request, all, available);
        }
        boolean isBound = sought.isMixed()
                || (sought.isOfNodes()
                        && !new AreaFit(all, available)
                                .wanted(request.resources()).stream()
                                        .allMatch(wanted -> wanted.item().type().equals(Resource.NODE)));
        Assessment plain = isBound ? fit(request, all, available) : Assessment.of(Verdict.UNKNOWN, "");
        if (plain.verdict() == Verdict.NEVER) {
            return plain;
        }
        List<Resource> renamed = sought.renamed(request.resources());
        Assessment answer = sought.isMixed()
                ? plain
                : fit(
                        new JobRequest(renamed, request.constraint(), request.duration()),
                        all.renamed(sought),
                        available.intersect(sought.ranks()));
        if (isBound && (sought.isMixed() || answer.verdict() == Verdict.NEVER)) {
            return answer.with(
                    Verdict.UNKNOWN,
                    "the request asks for some vertices with properties and for others without them, and Muster does"
                            + " not search how they could share what is there");
        }
        return answer.verdict() == Verdict.NEVER && sought.isOfNodes()
                ? answer.with(Verdict.NEVER, answer.sentence() + sought.nodesHaving())
                : answer;
    }

    private Assessment fit(JobRequest request, Stock stock, Idset available) {
        @Nullable String fault = Units.fault(request.resources(), stock);
        if (fault != null) {
            return Assessment.invalid(fault);
        }
        AreaFit fit = new AreaFit(stock, request.constraint().matches(r).intersect(available));
        List<Flow> flows = stock.flows().stream()
                .filter(flow -> request.resources().stream().anyMatch(item -> item.mentions(flow.type())))
                .toList();
        return flows.isEmpty()
                ? answer(request, stock, fit, available, true)
                : answer(request, stock, fit, available, flows);
    }

    /** Returns whether a vertex has the key {@code id} of RFC 14, which Flux's schedulers ignore too. */
    private static boolean hasId(Resource item) {
        return item.attributes().containsKey("id") || item.with().stream().anyMatch(Feasibility::hasId);
    }

    /** Answers a request that asks for resources in other subsystems: the rest of the request must fit, and each flow must suffice. */
    private Assessment answer(JobRequest request, Stock stock, AreaFit fit, Idset available, List<Flow> flows) {
        List<Resource> list = request.resources();
        JobRequest contained = new JobRequest(FlowFit.without(list, flows), request.constraint(), request.duration());
        Assessment answer = answer(contained, stock, fit, available, false);
        if (answer.verdict() == Verdict.NEVER) {
            return answer;
        }
        for (Flow flow : flows) {
            if (list.stream().anyMatch(item -> hasBelow(item, flow.type()))) {
                return answer.with(
                        Verdict.UNKNOWN,
                        "type " + flow.type() + " is in subsystem " + flow.subsystem()
                                + ", and Muster does not decide what is below it there");
            }
        }
        List<FlowFit> fits =
                flows.stream().map(flow -> new FlowFit(fit, list, flow, flows)).toList();
        for (FlowFit flow : fits) {
            @Nullable String shortage = flow.shortage();
            if (shortage != null) {
                return answer.with(Verdict.NEVER, shortage);
            }
        }
        AreaFit reached = fit;
        for (FlowFit flow : fits) {
            reached = reached.without(flow.unreached());
        }
        if (reached.allowed().isEmpty() && fits.stream().anyMatch(FlowFit::needsHosts)) {
            return answer.with(
                    Verdict.NEVER,
                    "no usable node is where the request could take all of "
                            + String.join(", ", flows.stream().map(Flow::type).toList()));
        }
        Assessment there = answer(contained, stock, reached, available, false);
        AreaFit hosts = reached;
        long limiting = flows.stream()
                .filter(flow -> !new FlowFit(hosts, list, flow, flows).isAmple())
                .filter(flow -> flows.size() > 1 || !new FlowFit(hosts, list, flow, flows).isProven())
                .count();
        return there.verdict() == Verdict.YES && limiting == 0
                ? new Assessment(Verdict.YES, there.sentence(), -1, there.hosts(), List.of())
                : answer.with(
                        Verdict.UNKNOWN,
                        "Muster does not search how the request could share what flows through subsystem "
                                + flows.get(0).subsystem());
    }

    private static boolean hasBelow(Resource item, String type) {
        return (item.type().equals(type) && !item.with().isEmpty())
                || item.with().stream().anyMatch(part -> hasBelow(part, type));
    }

    private Assessment answer(JobRequest request, Stock stock, AreaFit fit, Idset available, boolean counted) {
        List<Resource> list = request.resources();
        Fit copies = fit.copies(list, fit.top(), 1);
        List<Wanted> items = fit.wanted(list);
        Idset hosts = fit.qualifying(items);
        long slots = counted ? SlotCount.most(list, fit) : -1;
        if (copies.least() > 0) {
            String sentence = (hosts.isEmpty()
                            ? "fits outside of the nodes"
                            : "fits on " + hosts.size() + " of " + r.nodes() + " nodes")
                    + (slots >= 0 ? "; at most " + slots + (slots == 1 ? " slot" : " slots") : "");
            return new Assessment(Verdict.YES, sentence, slots, hosts, List.of());
        }
        Reason reason = new Reason(r, stock, request, fit, available);
        Verdict verdict = copies.most() > 0 ? Verdict.UNKNOWN : Verdict.NEVER;
        String sentence = verdict == Verdict.NEVER ? reason.sentence(items, hosts) : reason.open(items);
        return new Assessment(verdict, sentence, slots, hosts, List.of());
    }
}
