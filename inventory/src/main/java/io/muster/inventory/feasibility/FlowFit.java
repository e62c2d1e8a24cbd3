package io.muster.inventory.feasibility;

import io.muster.inventory.feasibility.Flow.Supply;
import io.muster.inventory.feasibility.Stock.Cell;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.Resource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a flow suffices for a request. The answer is exact in two cases: the request asks for one kind of item
 * outside of areas, or the flow is so large that it limits nothing. Otherwise the answer is a bound.
 */
final class FlowFit {
    private final AreaFit fit;
    private final Flow flow;
    private final List<Flow> all;
    private final List<Wanted> items = new ArrayList<>();
    private final boolean inAreas;
    private final String unit;
    private final long factor;
    /** For each supply, the indexes of the supplies next below it; the last list is of those that are below none. */
    private final List<List<Integer>> below = new ArrayList<>();

    private long asked;

    /** @param all the flows of the request */
    FlowFit(AreaFit fit, List<Resource> list, Flow flow, List<Flow> all) {
        this.fit = fit;
        this.all = all;
        this.flow = flow;
        this.unit = unit(list, flow.type());
        this.factor = Units.factor(unit);
        this.inAreas = list.stream().anyMatch(item -> inAreas(item));
        List<Supply> supplies = flow.supplies();
        for (int i = 0; i <= supplies.size(); i++) {
            below.add(new ArrayList<>());
        }
        for (int i = 0; i < supplies.size(); i++) {
            below.get(
                            supplies.get(i).above() < 0
                                    ? supplies.size()
                                    : supplies.get(i).above())
                    .add(i);
        }
        for (Wanted wanted : fit.wanted(list)) {
            if (each(wanted.item()) > 0) {
                items.add(wanted);
                asked = Math.min(Fit.MANY, asked + Fit.times(each(wanted.item()), wanted.need()));
            }
        }
    }

    /** Returns {@code list} without the leaves of the types in {@code flows}, and without slots that have no items left. */
    static List<Resource> without(List<Resource> list, List<Flow> flows) {
        List<Resource> remaining = new ArrayList<>();
        for (Resource item : list) {
            List<Resource> with = without(item.with(), flows);
            boolean emptied = item.isSlot() && with.isEmpty() && !item.with().isEmpty();
            if (!emptied && flows.stream().noneMatch(f -> f.type().equals(item.type()))) {
                remaining.add(new Resource(item.type(), item.count(), item.attributes(), with));
            }
        }
        return remaining;
    }

    private boolean inAreas(Resource item) {
        return fit.isArea(item) || item.with().stream().anyMatch(this::inAreas);
    }

    private static String unit(List<Resource> list, String type) {
        for (Resource item : list) {
            String found = item.type().equals(type) ? Units.of(item) : unit(item.with(), type);
            if (!found.isEmpty()) {
                return found;
            }
        }
        return "";
    }

    /** Returns how much one copy of the item takes, in base units. */
    private long each(Resource item) {
        if (item.type().equals(flow.type())) {
            return factor;
        }
        long sum = 0;
        for (Resource part : item.with()) {
            sum = Math.min(Fit.MANY, sum + Fit.times(part.count().min(), each(part)));
        }
        return sum;
    }

    private boolean isBare(Wanted wanted) {
        return wanted.item().type().equals(flow.type());
    }

    private long amount(Supply supply) {
        return supply.amount(Units.base(unit));
    }

    /** Returns why the flow does not suffice, or null. */
    @Nullable
    String shortage() {
        long most = most();
        if (asked > most) {
            return text(asked) + " asked in total; subsystem " + flow.subsystem() + " has " + text(most);
        }
        if (items.size() == 1 && isChanneled() && !isBare(items.get(0))) {
            Wanted wanted = items.get(0);
            long copies = copies(wanted).most();
            if (copies < wanted.need()) {
                String type = wanted.item().type();
                return wanted.need() + " " + type + (wanted.need() == 1 ? "" : "s") + " with "
                        + text(each(wanted.item())) + " asked; the " + flow.type() + " of subsystem "
                        + flow.subsystem() + " is enough for " + copies;
            }
        }
        return null;
    }

    private String text(long amount) {
        return amount / factor + unit + " " + flow.type();
    }

    /** Returns whether an item that must be within a host asks for the flow. */
    boolean needsHosts() {
        return !items.stream().allMatch(this::isBare);
    }

    /** Returns the hosts that no vertex of the flow serves. A vertex above no host serves every host. */
    Idset unreached() {
        Idset reached = Idset.EMPTY;
        for (Supply supply : flow.supplies()) {
            reached = reached.union(supply.ranks());
        }
        return free() > 0 ? Idset.EMPTY : fit.allowed().subtract(reached);
    }

    /** Returns whether the flow limits nothing on the hosts that it reaches. */
    boolean isAmple() {
        long least = Fit.MANY;
        for (Supply supply : flow.supplies()) {
            least = Math.min(least, supply.isPool() ? Fit.MANY : amount(supply));
        }
        boolean pooled = flow.supplies().stream().allMatch(s -> s.isPool());
        return pooled ? asked <= free() : asked <= least;
    }

    /** Returns whether a count along the flow proves that the request fits. */
    boolean isProven() {
        return items.size() == 1
                && isChanneled()
                && !inAreas
                && !isBare(items.get(0))
                && copies(items.get(0)).least() >= items.get(0).need();
    }

    private boolean isChanneled() {
        return flow.isTree() && free() == 0;
    }

    private long free() {
        return sum(flow.supplies().stream().filter(s -> s.isPool()).toList());
    }

    private long sum(List<Supply> supplies) {
        return supplies.stream().mapToLong(this::amount).reduce(0, (a, b) -> Math.min(Fit.MANY, a + b));
    }

    private long most() {
        boolean bare = items.stream().anyMatch(this::isBare);
        return bare || !flow.isTree()
                ? sum(flow.supplies())
                : Math.min(Fit.MANY, free() + capacity(flow.supplies().size()));
    }

    /** Returns the amount that hosts can get through a vertex or, for the index after the last vertex, through all vertices. */
    private long capacity(int vertex) {
        long through = direct(vertex).isEmpty() ? 0 : Fit.MANY;
        for (int i : below.get(vertex)) {
            through = Math.min(Fit.MANY, through + (flow.supplies().get(i).isPool() ? 0 : capacity(i)));
        }
        return isAll(vertex)
                ? through
                : Math.min(through, amount(flow.supplies().get(vertex)));
    }

    private boolean isAll(int vertex) {
        return vertex == flow.supplies().size();
    }

    /** Returns how many copies of an item fit on the hosts that the flow serves. */
    private Fit copies(Wanted wanted) {
        List<Resource> contained = without(List.of(wanted.item()), all);
        List<Fit> inHost = new ArrayList<>();
        for (Cell cell : fit.cells()) {
            inHost.add(contained.isEmpty() ? Fit.exactly(Fit.MANY) : fit.inHost(contained.get(0), cell.kind()));
        }
        return copies(flow.supplies().size(), Math.max(1, each(wanted.item())), inHost);
    }

    private Fit copies(int vertex, long each, List<Fit> inHost) {
        Fit copies = Fit.NONE;
        Idset direct = direct(vertex);
        for (int k = 0; k < inHost.size() && !direct.isEmpty(); k++) {
            copies = copies.plus(inHost.get(k)
                    .times(fit.cells().get(k).ranks().intersect(direct).size()));
        }
        for (int i : below.get(vertex)) {
            copies = copies.plus(copies(i, each, inHost));
        }
        return isAll(vertex)
                ? copies
                : copies.min(Fit.exactly(amount(flow.supplies().get(vertex)) / each));
    }

    /** Returns the usable hosts below a vertex and below no other vertex of the flow that is below it. */
    private Idset direct(int vertex) {
        Idset direct = isAll(vertex)
                ? Idset.EMPTY
                : flow.supplies().get(vertex).ranks().intersect(fit.allowed());
        for (int i : below.get(vertex)) {
            direct = direct.subtract(flow.supplies().get(i).ranks());
        }
        return direct;
    }
}
