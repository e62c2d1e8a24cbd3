package io.muster.inventory.feasibility;

import io.muster.inventory.feasibility.Stock.Cell;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.Resource;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Counts how many copies of a request fit into an area: the number of similar hosts times the copies that one host holds. An
 * object serves one request against one set of ranks. Both bounds in a result are proven: {@code least} by constructing a
 * placement, {@code most} by a necessary condition.
 */
final class AreaFit {
    private final Stock stock;
    private final Idset allowed;
    private final HostFit hosts;
    private final IdentityHashMap<Area, long[]> counts = new IdentityHashMap<>();

    AreaFit(Stock stock, Idset allowed) {
        this(stock, allowed, new HostFit());
    }

    private AreaFit(Stock stock, Idset allowed, HostFit hosts) {
        this.stock = stock;
        this.allowed = allowed;
        this.hosts = hosts;
    }

    /** Returns the same question without the ranks in {@code taken}. */
    AreaFit without(Idset taken) {
        return new AreaFit(stock, allowed.subtract(taken), hosts);
    }

    List<Cell> cells() {
        return stock.cells();
    }

    /** Returns the ranks of {@code cell} in {@code area} that may be used. */
    Idset usable(Cell cell, Area area) {
        return cell.ranks().intersect(area.ranks()).intersect(allowed);
    }

    /** Returns the number of {@link #usable} ranks in each cell. */
    long[] counts(Area area) {
        return counts.computeIfAbsent(
                area, a -> cells().stream().mapToLong(c -> usable(c, a).size()).toArray());
    }

    boolean isArea(Resource item) {
        return stock.areaTypes().contains(item.type());
    }

    /** Returns whether {@code item} contains nodes or areas, so that it is not confined to one host. */
    boolean spans(Resource item) {
        return item.type().equals(Resource.NODE)
                || isArea(item)
                || (item.isSlot() && item.with().stream().anyMatch(this::spans));
    }

    /**
     * Counts how many copies of {@code list} fit.
     *
     * @param wanted number of copies that matter; the result may be higher, but the search for more ends where it becomes
     *     expensive
     */
    Fit copies(List<Resource> list, Area area, long wanted) {
        if (list.isEmpty()) {
            return Fit.exactly(Fit.MANY);
        }
        if (list.size() == 1) {
            long count = list.get(0).count().min();
            return instances(list.get(0), area, Fit.times(wanted, count)).over(count);
        }
        return new ListFit(this, list, area).copies(wanted);
    }

    /** Counts how many of {@code item} fit, without regard to the item's own count. */
    Fit instances(Resource item, Area area, long wanted) {
        if (isArea(item)) {
            return areas(item, area);
        }
        if (item.isSlot() && item.with().stream().anyMatch(this::spans)) {
            return copies(item.with(), area, wanted);
        }
        Fit total = outside(item, area);
        long[] count = counts(area);
        for (int k = 0; k < count.length; k++) {
            if (count[k] > 0) {
                total = total.plus(inHost(item, cells().get(k).kind()).times(count[k]));
            }
        }
        return total;
    }

    /** Counts how many of {@code item} fit in one host; at most one if the item is a node. */
    Fit inHost(Resource item, VertexKind kind) {
        return item.type().equals(Resource.NODE)
                ? hosts.copies(item.with(), kind).any()
                : hosts.instances(item, kind);
    }

    private Fit areas(Resource item, Area area) {
        Fit total = Fit.NONE;
        boolean nested = false;
        for (Area a : area.topmost(item.type())) {
            total = total.plus(copies(item.with(), a, 1).any());
            nested |= !a.topmost(item.type()).isEmpty();
        }
        return nested ? new Fit(total.least(), Fit.MANY) : total;
    }

    /**
     * Counts how many of {@code item} fit outside of every node. A slot there is not confined to a host, so the number of
     * slots stays unknown.
     */
    private Fit outside(Resource item, Area area) {
        if (item.isSlot()) {
            boolean possible = item.with().stream().anyMatch(r -> area.hasOutside(r.type()));
            return new Fit(0, possible ? Fit.MANY : 0);
        }
        Fit total = area.outside().types().contains(item.type()) ? hosts.instances(item, area.outside()) : Fit.NONE;
        for (Area inner : area.areas()) {
            total = total.plus(outside(item, inner));
        }
        return total;
    }

    /**
     * Returns the items that must fit into single hosts (nodes, slots within nodes, single pools), including the items
     * inside of areas and of slots that span nodes.
     */
    List<Wanted> wanted(List<Resource> list) {
        return wanted(list, 1);
    }

    private List<Wanted> wanted(List<Resource> list, long times) {
        List<Wanted> items = new ArrayList<>();
        for (Resource item : list) {
            long need = Fit.times(times, item.count().min());
            boolean descend = isArea(item) || (item.isSlot() && spans(item));
            items.addAll(descend ? wanted(item.with(), need) : List.of(new Wanted(item, need)));
        }
        return items;
    }

    /** Returns the usable ranks whose host can hold at least one of {@code items}. */
    Idset qualifying(List<Wanted> items) {
        Idset ranks = Idset.EMPTY;
        for (Cell cell : cells()) {
            if (items.stream().anyMatch(item -> inHost(item.item(), cell.kind()).least() > 0)) {
                ranks = ranks.union(usable(cell, stock.top()));
            }
        }
        return ranks;
    }

    Area top() {
        return stock.top();
    }

    Idset allowed() {
        return allowed;
    }
}
