package io.muster.inventory.feasibility;

import io.muster.inventory.feasibility.Stock.Cell;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Text;
import io.muster.inventory.request.Constraint;
import io.muster.inventory.request.Count;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Resource;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Builds the sentence that says why a request never fits or why the answer is open. The sentence names the first check that
 * fails and the nearest amount that is available.
 */
final class Reason {
    private static final int MOST_NAMES = 8;
    private static final int MOST_CHARS = 120;
    private static final int MOST_PARTS = 3;

    private final ResourceSet r;
    private final Stock stock;
    private final JobRequest request;
    private final AreaFit fit;
    private final Idset available;
    private final Levels levels;

    /**
     * Creates a builder of sentences about one request.
     *
     * @param fit the fit of the request into the available ranks that match the constraint
     * @param available ranks that the question is about
     */
    Reason(ResourceSet r, Stock stock, JobRequest request, AreaFit fit, Idset available) {
        this.r = r;
        this.stock = stock;
        this.request = request;
        this.fit = fit;
        this.available = available;
        this.levels = new Levels(fit);
    }

    /** Returns the names of the hosts, or of the first few if their ranks are scattered. */
    static String hosts(ResourceSet r, Idset ranks) {
        boolean scattered = ranks.rangeCount() > MOST_NAMES;
        Idset shown = scattered ? ranks.intersect(Idset.range(0, ranks.nth(MOST_NAMES - 1))) : ranks;
        String text = r.hostsOf(shown).toString();
        String remainder = scattered ? " and " + (ranks.size() - MOST_NAMES) + " more" : "";
        return cut(text) + remainder;
    }

    /**
     * Returns why the request does not fit.
     *
     * @param qualifying ranks that hold at least one of {@code items}
     */
    String sentence(List<Wanted> items, Idset qualifying) {
        if (r.nodes() == 0) {
            return "the inventory has no nodes";
        }
        @Nullable String missing = missingType(request.resources());
        if (missing != null) {
            return missing;
        }
        String constraint = constraint();
        if (!constraint.isEmpty() && request.constraint().matches(r).isEmpty()) {
            return constraint;
        }
        @Nullable String fault = areas(request.resources(), fit.top(), 1);
        if (fault == null) {
            fault = items.size() == 1 ? single(items.get(0), qualifying) : several(items);
        }
        return fault + (constraint.isEmpty() ? "" : "; " + constraint);
    }

    /** Returns why it is proven neither that the request fits nor that it does not fit. */
    String open(List<Wanted> items) {
        @Nullable String outside = outsideInSlot(request.resources());
        if (outside != null) {
            return all(items) + " asked; " + outside
                    + " is outside of the nodes, and Muster does not decide whether a slot may take it there";
        }
        List<Resource> parts = items.stream().map(Wanted::item).toList();
        return all(items) + " asked; "
                + (new ListFit(fit, parts, fit.top()).isPacking()
                        ? "in " + VectorPacking.BUDGET + " steps, the search could not decide whether they fit together"
                        : "parts of the request compete for the same resources, and Muster does not search how they could share them");
    }

    private @Nullable String outsideInSlot(List<Resource> list) {
        for (Resource item : list) {
            if (!item.isSlot() && fit.top().hasOutside(item.type())) {
                return item.type();
            }
            @Nullable String below = outsideInSlot(item.with());
            if (below != null) {
                return below;
            }
        }
        return null;
    }

    private @Nullable String missingType(List<Resource> list) {
        for (Resource item : list) {
            if (!item.isSlot() && !stock.types().contains(item.type())) {
                return "type \"" + item.type() + "\" does not occur in this inventory; it has "
                        + String.join(", ", stock.types()) + similar(item.type(), stock.types());
            }
            @Nullable String below = missingType(item.with());
            if (below != null) {
                return below;
            }
        }
        return null;
    }

    /**
     * Returns a sentence about the first area of which there are too few, or null. An area that is the only one of its type is
     * skipped.
     */
    private @Nullable String areas(List<Resource> list, Area area, long times) {
        for (Resource item : list) {
            long need = Fit.times(times, item.count().min());
            if (fit.isArea(item)) {
                List<Area> all = area.topmost(item.type());
                long have = fit.instances(item, area, need).most();
                if (all.size() < need) {
                    return plural(need, item.type()) + " asked; " + are(all.size());
                }
                if (have < need && all.size() > 1) {
                    return plural(need, item.type()) + " of " + list(item.with(), "=") + " asked; "
                            + (have == 0 ? "none" : String.valueOf(have)) + " of " + all.size()
                            + (have == 1 ? " has" : " have") + " that" + mostIn(all, item.with()) + remedy();
                }
            } else if (item.isSlot()) {
                @Nullable String below = areas(item.with(), area, need);
                if (below != null) {
                    return below;
                }
            }
        }
        return null;
    }

    private String mostIn(List<Area> areas, List<Resource> list) {
        if (list.size() != 1) {
            return "";
        }
        Resource item = list.get(0);
        long most = 0;
        for (Area area : areas) {
            most = Math.max(most, fit.instances(item, area, item.count().min()).most());
        }
        return most < item.count().min() ? "; the most in one is " + item.type() + "=" + most : "";
    }

    /**
     * Returns why several items do not fit together: one of them does not fit alone, their sum is too large, or they compete
     * for the same hosts.
     */
    private String several(List<Wanted> items) {
        for (Wanted wanted : items) {
            if (fit.instances(wanted.item(), fit.top(), wanted.need()).most() < wanted.need()) {
                return single(wanted, fit.qualifying(List.of(wanted)));
            }
        }
        @Nullable String scarcity = shortInAll(items);
        if (scarcity != null) {
            return all(items) + " asked; " + scarcity;
        }
        @Nullable String competing = competing(items);
        if (competing != null) {
            return competing;
        }
        @Nullable List<Long> most = new ListFit(fit, request.resources(), fit.top()).most();
        return all(items) + " asked; "
                + (most == null || most.size() > MOST_NAMES
                        ? "each may fit alone, but they do not fit together"
                        : "at most " + joined(most.stream().map(String::valueOf).toList()) + " of them fit together");
    }

    private @Nullable String shortInAll(List<Wanted> items) {
        long nodes = 0;
        Map<List<String>, Levels.Need> sums = new LinkedHashMap<>();
        for (Wanted wanted : items) {
            nodes += isNode(wanted) ? wanted.need() : 0;
            for (Levels.Need need : Levels.needs(wanted.item())) {
                sums.merge(
                        List.of(need.type(), need.unit()),
                        need.times(wanted.need()),
                        (a, b) -> new Levels.Need(a.type(), a.unit(), Math.min(Fit.MANY, a.amount() + b.amount())));
            }
        }
        if (nodes > fit.allowed().size()) {
            return "that is " + nodes + " nodes in all, " + are(fit.allowed().size());
        }
        for (Levels.Need sum : sums.values()) {
            if (!sum.type().equals(Resource.NODE) && levels.total(sum) < sum.amount()) {
                return "that is " + sum.text(sum.amount()) + " in all, " + are(levels.total(sum));
            }
        }
        return null;
    }

    /**
     * Returns a sentence about the items that together ask for more nodes than the hosts that any of them could use. Returns
     * null unless all items are nodes.
     */
    private @Nullable String competing(List<Wanted> items) {
        if (!items.stream().allMatch(Reason::isNode)) {
            return null;
        }
        boolean[][] possible = new boolean[items.size()][fit.cells().size()];
        for (int i = 0; i < items.size(); i++) {
            for (int k = 0; k < possible[i].length; k++) {
                VertexKind kind = fit.cells().get(k).kind();
                possible[i][k] = fit.inHost(items.get(i).item(), kind).most() > 0;
            }
        }
        long[] demands = items.stream().mapToLong(Wanted::need).toArray();
        SupplyFlow transport = new SupplyFlow(fit.counts(fit.top()), demands, possible);
        if (transport.covers()) {
            return null;
        }
        List<Wanted> competitors = new ArrayList<>();
        for (int i = 0; i < demands.length; i++) {
            competitors.addAll(transport.isCompeting(i) ? List.of(items.get(i)) : List.of());
        }
        Idset usable = fit.qualifying(competitors);
        return all(competitors) + " asked; that is "
                + competitors.stream().mapToLong(Wanted::need).sum() + " nodes in all, " + usable.size()
                + (usable.size() == 1 ? " has" : " have") + " what one of them needs";
    }

    private static boolean isNode(Wanted wanted) {
        return wanted.item().type().equals(Resource.NODE);
    }

    /** Returns a description of all items, or of the first few if there are many. */
    private String all(List<Wanted> items) {
        List<String> parts = new ArrayList<>();
        items.stream().limit(MOST_PARTS).forEach(w -> parts.add(describe(w)));
        if (items.size() > MOST_PARTS) {
            parts.add(items.size() - MOST_PARTS + " more");
        }
        return joined(parts);
    }

    private static String joined(List<String> parts) {
        int last = parts.size() - 1;
        return last < 1
                ? String.join("", parts)
                : String.join(", ", parts.subList(0, last)) + " and " + parts.get(last);
    }

    private String describe(Wanted wanted) {
        Resource item = wanted.item();
        String inner = list(item.with(), "=");
        String counted = item.isSlot() || isNode(wanted)
                ? plural(wanted.need(), item.type())
                : wanted.need() + Units.of(item) + " " + item.type();
        return counted + (inner.isEmpty() ? "" : " of " + inner);
    }

    private String single(Wanted wanted, Idset qualifying) {
        if (isNode(wanted)) {
            return nodes(wanted, qualifying);
        }
        return wanted.item().isSlot() ? slots(wanted) : units(wanted);
    }

    private static String plural(long n, String word) {
        return n + " " + word + (n == 1 || word.endsWith("}") ? "" : "s");
    }

    private static String are(long n) {
        return n + (n == 1 ? " is there" : " are there");
    }

    private String nodes(Wanted wanted, Idset qualifying) {
        Resource item = wanted.item();
        String with = asks(item);
        String opening = plural(wanted.need(), "node") + (with.isEmpty() ? "" : " with " + with) + " asked; ";
        int have = qualifying.size();
        int all = fit.allowed().size();
        if (with.isEmpty()) {
            return opening + are(all);
        }
        String names = have > 0 ? " (" + hosts(r, qualifying) + ")" : "";
        if (have == all) {
            return opening + (all == 1 ? "the only one has" : "all " + all + " have") + " them" + names + remedy();
        }
        return opening + (have == 0 ? "none" : String.valueOf(have)) + " of " + all
                + (have == 1 ? " has them" : " have them") + names + nearest(item, have) + remedy();
    }

    /** Returns what the request asks of one node in total, with all slots in the node added up. */
    private String asks(Resource node) {
        if (node.with().stream().noneMatch(Resource::isSlot)) {
            return list(node.with(), " >= ");
        }
        return String.join(
                " and ",
                Levels.needs(node.with()).stream()
                        .map(need -> need.type() + " >= " + need.amount() + need.unit())
                        .toList());
    }

    /** Returns a remark about the resource of which the fewest hosts have enough: the highest amount that any other host has. */
    private String nearest(Resource item, int have) {
        List<Levels.Need> needs = Levels.needs(item.with());
        if (needs.isEmpty()) {
            return "";
        }
        Levels.Need scarce = Collections.min(needs, Comparator.comparingLong(levels::having));
        SortedMap<Long, Long> below = levels.of(scarce).headMap(scarce.amount());
        if (levels.having(scarce) > have || below.isEmpty()) {
            return needs.size() == 1 ? "" : "; no other node has all of these at once";
        }
        long nearest = below.lastKey();
        long hosts = below.getOrDefault(nearest, 0L);
        String amount = nearest == 0
                ? "no " + scarce.type()
                : needs.size() == 1 ? nearest + scarce.unit() : scarce.text(nearest);
        return "; " + hosts + (hosts == 1 ? " has " : " have ") + amount;
    }

    /** Returns what would fit instead: a smaller count of the outermost vertex; "" if nothing is known. */
    private String remedy() {
        if (request.resources().size() != 1) {
            return "";
        }
        Resource outermost = request.resources().get(0);
        long requested = outermost.count().min();
        long fits = fit.instances(outermost, fit.top(), requested).least();
        return fits > 0 && fits < requested ? "; it fits with " + outermost.type() + "=" + fits : "";
    }

    private String slots(Wanted wanted) {
        Resource item = wanted.item();
        Fit most = fit.instances(item, fit.top(), wanted.need());
        long best = 0;
        for (Cell cell : stock.cells()) {
            if (!fit.usable(cell, fit.top()).isEmpty()) {
                best = Math.max(best, fit.inHost(item, cell.kind()).most());
            }
        }
        String opening = describe(wanted) + " asked; ";
        if (best == 0) {
            return opening + "no node holds one" + largest(item);
        }
        return opening + plural(most.most(), "slot") + (most.most() == 1 ? " fits" : " fit") + " at most, " + best
                + " on the largest node" + totals(wanted);
    }

    private String largest(Resource item) {
        List<Levels.Need> needs = Levels.needs(item.with());
        List<String> most = new ArrayList<>();
        for (Levels.Need need : needs) {
            NavigableMap<Long, Long> amounts = levels.of(need);
            if (!amounts.isEmpty() && amounts.lastKey() < need.amount()) {
                most.add(need.text(amounts.lastKey()));
            }
        }
        if (!most.isEmpty()) {
            return "; the most on one is " + String.join(", ", most);
        }
        return needs.size() > 1 ? "; none has all of these at once" : "";
    }

    /**
     * Returns the totals of the resource that is too scarce in total, because people compare totals. If no resource is,
     * returns the reminder that a slot is within one node.
     */
    private String totals(Wanted wanted) {
        List<String> totals = new ArrayList<>();
        for (Levels.Need need : Levels.needs(wanted.item())) {
            long total = levels.total(need);
            long requested = need.times(wanted.need()).amount();
            if (total < requested) {
                return " (" + need.text(requested) + " in all, " + are(total) + ")";
            }
            totals.add(need.text(total));
        }
        return " (" + String.join(", ", totals) + " in all, but a slot lies within one node)";
    }

    private String units(Wanted wanted) {
        Fit most = fit.instances(wanted.item(), fit.top(), wanted.need());
        return describe(wanted) + " asked; " + are(most.most());
    }

    private String list(List<Resource> list, String sign) {
        List<String> parts = new ArrayList<>();
        for (Resource item : list) {
            String amount = item.count().min() + Units.of(item);
            boolean single = item.count().equals(Count.ONE) && !item.with().isEmpty();
            String inner = item.with().isEmpty()
                    ? ""
                    : (single ? "" : amount + " ") + item.type() + " of " + list(item.with(), "=");
            parts.add(inner.isEmpty() ? item.type() + sign + amount : inner);
        }
        return String.join(" and ", parts);
    }

    /** Returns how many nodes match the constraint, and which of its names no node has; "" without a constraint. */
    private String constraint() {
        Constraint constraint = request.constraint();
        if (constraint.isAll()) {
            return "";
        }
        int matching = constraint.matches(r).size();
        StringBuilder text = new StringBuilder("constraint ")
                .append(cut(constraint.toJson().toString()))
                .append(" leaves ")
                .append(matching == 0 ? "none" : String.valueOf(matching))
                .append(" of ")
                .append(r.nodes())
                .append(" nodes");
        AreaFit free = new AreaFit(stock, available);
        if (free.copies(request.resources(), free.top(), 1).least() > 0) {
            text.append("; without it the request fits");
        }
        constraint.properties().stream()
                .filter(name -> !r.properties().containsKey(name))
                .limit(MOST_PARTS)
                .forEach(name -> text.append("; no node has property \"")
                        .append(cut(name))
                        .append('"')
                        .append(similar(name, r.properties().keySet())));
        return text.toString();
    }

    private static String cut(String text) {
        return text.codePointCount(0, text.length()) <= MOST_CHARS
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MOST_CHARS)) + "...";
    }

    private static String similar(String name, Set<String> known) {
        String best = "";
        int least = Math.max(1, Math.min(2, name.length() / 2)) + 1;
        for (String candidate : known) {
            int distance = Text.distance(name, candidate);
            if (distance < least) {
                least = distance;
                best = candidate;
            }
        }
        return best.isEmpty() ? "" : ", did you mean \"" + best + "\"?";
    }
}
