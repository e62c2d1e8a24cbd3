package io.muster.inventory.feasibility;

import io.muster.inventory.request.Resource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Decides whether the items of one list, which compete for hosts, fit together into one area. */
final class ListFit {
    private static final Demand.Amount NOTHING = new Demand.Amount("", 0);

    private final AreaFit fit;
    private final List<Resource> list;
    private final Area area;

    ListFit(AreaFit fit, List<Resource> list, Area area) {
        this.fit = fit;
        this.list = list;
        this.area = area;
    }

    Fit copies(long wanted) {
        long most = Fit.MANY;
        for (Resource item : list) {
            long count = item.count().min();
            most = Math.min(
                    most, fit.instances(item, area, Fit.times(wanted, count)).most() / count);
        }
        if (most < wanted) {
            return new Fit(0, most);
        }
        return switch (together(wanted)) {
            case YES -> new Fit(wanted, most);
            case NO -> new Fit(0, wanted - 1);
            case OPEN -> new Fit(0, most);
        };
    }

    private Ruling together(long wanted) {
        Set<String> outsideTypes = typesOutsideNodes();
        if (!outsideTypes.isEmpty()) {
            return withPoolsOutside(outsideTypes, wanted);
        }
        if (list.stream().allMatch(this::isNodes)) {
            return nodes(wanted);
        }
        if (list.stream().allMatch(fit::isArea)
                && list.stream().map(Resource::type).distinct().count() == 1) {
            return areas(wanted);
        }
        if (list.stream().noneMatch(fit::spans)) {
            return onSharedHosts(wanted);
        }
        return onSeparateHosts(wanted);
    }

    /** Returns the types that only pools outside of the nodes can provide and that the list requests as single pools only. */
    private Set<String> typesOutsideNodes() {
        Set<String> types = new HashSet<>();
        for (Resource item : list) {
            if (isPool(item)
                    && area.isPoolOutside(item.type())
                    && fit.cells().stream().noneMatch(c -> c.kind().types().contains(item.type()))) {
                types.add(item.type());
            }
        }
        types.removeIf(type -> list.stream().anyMatch(item -> !isPool(item) && item.mentions(type)));
        return types;
    }

    private boolean isPool(Resource item) {
        return item.with().isEmpty() && !item.type().equals(Resource.NODE) && !fit.isArea(item);
    }

    private Ruling withPoolsOutside(Set<String> types, long wanted) {
        Map<Boolean, List<Resource>> parts =
                list.stream().collect(Collectors.partitioningBy(item -> types.contains(item.type())));
        List<Resource> outsideItems = parts.getOrDefault(true, List.of());
        for (Map.Entry<String, Demand.Amount> e :
                Demand.all(outsideItems).amounts().entrySet()) {
            Demand.Amount requested = e.getValue();
            if (area.units(e.getKey(), requested.base()) < Fit.times(requested.amount(), wanted)) {
                return Ruling.NO;
            }
        }
        Fit otherItems = fit.copies(parts.getOrDefault(false, List.of()), area, wanted);
        return otherItems.least() >= wanted ? Ruling.YES : otherItems.most() < wanted ? Ruling.NO : Ruling.OPEN;
    }

    /** Returns whether the items are slots and pools that share hosts, so that {@link VectorPacking} must decide. */
    boolean isPacking() {
        return list.size() > 1 && list.stream().noneMatch(fit::spans) && demands() != null;
    }

    /** Returns whether the item is a node, or a slot that contains only a node. */
    private boolean isNodes(Resource item) {
        return item.type().equals(Resource.NODE)
                || (item.isSlot()
                        && item.with().size() == 1
                        && isNodes(item.with().get(0)));
    }

    private Ruling nodes(long wanted) {
        long[] demands = new long[list.size()];
        boolean[][] certainties = new boolean[list.size()][];
        boolean[][] possibilities = new boolean[list.size()][];
        for (int i = 0; i < demands.length; i++) {
            demands[i] = wanted;
            Resource item = list.get(i);
            while (item.isSlot()) {
                demands[i] = Fit.times(demands[i], item.count().min());
                item = item.with().get(0);
            }
            demands[i] = Fit.times(demands[i], item.count().min());
            certainties[i] = new boolean[fit.cells().size()];
            possibilities[i] = new boolean[fit.cells().size()];
            for (int k = 0; k < certainties[i].length; k++) {
                Fit perHost = fit.inHost(item, fit.cells().get(k).kind());
                certainties[i][k] = perHost.least() > 0;
                possibilities[i][k] = perHost.most() > 0;
            }
        }
        return covered(fit.counts(area), demands, certainties, possibilities);
    }

    private static Ruling covered(long[] supplies, long[] demands, boolean[][] certainties, boolean[][] possibilities) {
        if (new SupplyFlow(supplies, demands, certainties).covers()) {
            return Ruling.YES;
        }
        return new SupplyFlow(supplies, demands, possibilities).covers() ? Ruling.OPEN : Ruling.NO;
    }

    private Ruling areas(long wanted) {
        List<Area> areas = area.topmost(list.get(0).type());
        long[] demands = new long[list.size()];
        long[] supplies = new long[areas.size()];
        Arrays.fill(supplies, 1);
        boolean[][] certainties = new boolean[list.size()][areas.size()];
        boolean[][] possibilities = new boolean[list.size()][areas.size()];
        for (int i = 0; i < demands.length; i++) {
            demands[i] = Fit.times(wanted, list.get(i).count().min());
            for (int a = 0; a < supplies.length; a++) {
                Fit perArea = fit.copies(list.get(i).with(), areas.get(a), 1);
                certainties[i][a] = perArea.least() > 0;
                possibilities[i][a] = perArea.most() > 0;
            }
        }
        return covered(supplies, demands, certainties, possibilities);
    }

    /** Decides whether slots and single pools fit, if they may share hosts. */
    private Ruling onSharedHosts(long wanted) {
        if (onSeparateHosts(wanted) == Ruling.YES) {
            return Ruling.YES;
        }
        @Nullable VectorPacking packing = packing(wanted);
        Ruling ruling = packing == null ? Ruling.OPEN : packing.fits();
        return ruling == Ruling.NO && mayBeOutside(list) ? Ruling.OPEN : ruling;
    }

    /** Returns whether some of the items may also be placed outside of every node, where {@link VectorPacking} does not look. */
    private boolean mayBeOutside(List<Resource> items) {
        return items.stream().anyMatch(item -> area.hasOutside(item.type()) || mayBeOutside(item.with()));
    }

    /**
     * Returns how many of each item fit together, in the order of the list; null if the items are not slots and pools that
     * share hosts.
     */
    @Nullable
    List<Long> most() {
        @Nullable List<Demand> demands = list.stream().anyMatch(fit::spans) ? null : demands();
        @Nullable VectorPacking packing = demands == null ? null : packing(1);
        long @Nullable [] most = packing == null ? null : packing.most();
        if (demands == null || most == null) {
            return null;
        }
        List<Map<String, Demand.Amount>> kinds =
                demands.stream().map(Demand::amounts).distinct().toList();
        List<Long> each = new ArrayList<>();
        for (int i = 0; i < demands.size(); i++) {
            int kind = kinds.indexOf(demands.get(i).amounts());
            long taken = Math.min(most[kind], list.get(i).count().min());
            most[kind] -= taken;
            each.add(taken);
        }
        return each;
    }

    /** Returns the demand of one of each item; null if an item is a structure in some host. */
    private @Nullable List<Demand> demands() {
        List<Demand> demands = new ArrayList<>();
        long[] counts = fit.counts(area);
        for (Resource item : list) {
            List<Resource> drawn = item.isSlot() ? item.with() : List.of(Resource.of(item.type(), 1));
            for (int k = 0; k < counts.length; k++) {
                VertexKind kind = fit.cells().get(k).kind();
                if (counts[k] > 0 && (Demand.flat(drawn, kind) == null || !isPlain(item))) {
                    return null;
                }
            }
            demands.add(item.isSlot() ? Demand.all(item.with()) : Demand.one(item));
        }
        return demands;
    }

    private static boolean isPlain(Resource item) {
        return item.isSlot() || item.with().isEmpty();
    }

    /**
     * Returns the packing of the list. Items with the same demand are one kind, so twenty thousand slots of one core each take
     * no more work than one slot.
     */
    private @Nullable VectorPacking packing(long copies) {
        @Nullable List<Demand> demands = demands();
        if (demands == null) {
            return null;
        }
        Map<Map<String, Demand.Amount>, Long> wanted = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i++) {
            long needed = Fit.times(copies, list.get(i).count().min());
            wanted.merge(demands.get(i).amounts(), needed, (a, b) -> Math.min(Fit.MANY, a + b));
        }
        SortedMap<String, String> bases = new TreeMap<>();
        demands.forEach(demand -> demand.amounts().forEach((type, amount) -> bases.put(type, amount.base())));
        List<List<Long>> draws = new ArrayList<>();
        for (Map<String, Demand.Amount> amounts : wanted.keySet()) {
            draws.add(bases.keySet().stream()
                    .map(type -> amounts.getOrDefault(type, NOTHING).amount())
                    .toList());
        }
        List<VectorPacking.Hosts> hosts = new ArrayList<>();
        long[] counts = fit.counts(area);
        for (int k = 0; k < counts.length; k++) {
            VertexKind kind = fit.cells().get(k).kind();
            if (counts[k] > 0) {
                List<Long> pools = new ArrayList<>();
                bases.forEach((type, base) -> pools.add(kind.units(type, base)));
                hosts.add(new VectorPacking.Hosts(counts[k], pools, draws));
            }
        }
        return new VectorPacking(
                wanted.values().stream().mapToLong(Long::longValue).toArray(), hosts);
    }

    /** Decides whether the items fit even if no host serves two of them: YES if they do, otherwise OPEN. */
    private Ruling onSeparateHosts(long wanted) {
        return new Placer(fit).place(list, area, wanted) == null ? Ruling.OPEN : Ruling.YES;
    }
}
