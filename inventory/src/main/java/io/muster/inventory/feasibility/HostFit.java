package io.muster.inventory.feasibility;

import io.muster.inventory.request.Resource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts how many disjoint copies of a list fit into one host of a kind. The number is exact for pools that any number of
 * siblings and slots share, and for structures (such as sockets) of which no sibling uses a part; otherwise the result is a
 * pair of bounds. Results are cached, so an object serves one request.
 */
final class HostFit {
    private final IdentityHashMap<List<Resource>, Map<VertexKind, Fit>> known = new IdentityHashMap<>();

    Fit copies(List<Resource> list, VertexKind host) {
        Map<VertexKind, Fit> byKind = known.computeIfAbsent(list, l -> new HashMap<>());
        Fit fit = byKind.get(host);
        if (fit == null) {
            fit = count(list, host);
            byKind.put(host, fit);
        }
        return fit;
    }

    private Fit count(List<Resource> list, VertexKind host) {
        if (list.isEmpty()) {
            return Fit.exactly(Fit.MANY);
        }
        Demand flat = Demand.flat(list, host);
        if (flat != null) {
            return Fit.exactly(flat.copies(host));
        }
        if (list.size() == 1) {
            return instances(list.get(0), host).over(list.get(0).count().min());
        }
        return several(list, host);
    }

    /** Counts how many of {@code item} fit, without regard to the item's own count. */
    Fit instances(Resource item, VertexKind host) {
        if (item.isSlot()) {
            return copies(item.with(), host);
        }
        if (item.with().isEmpty() && host.isPool(item.type())) {
            return Fit.exactly(Demand.one(item).copies(host));
        }
        Fit total = Fit.NONE;
        for (Map.Entry<VertexKind, Long> e : host.topmost(item.type()).entrySet()) {
            total = total.plus(copies(item.with(), e.getKey()).any().times(e.getValue()));
        }
        // A match may be inside another vertex of its type. How many of these vertices can be used at once is not
        // computed.
        return host.nests(item.type()) ? new Fit(total.least(), host.vertices(item.type())) : total;
    }

    private Fit several(List<Resource> list, VertexKind host) {
        Fit each = Fit.exactly(Fit.MANY);
        for (Resource item : list) {
            each = each.min(instances(item, host).over(item.count().min()));
        }
        if (areDisjoint(list, host)) {
            return each;
        }
        long most = Math.min(each.most(), Demand.leaves(list, host).copies(host));
        return new Fit(Math.min(most, sharing(list, host)), most);
    }

    /**
     * Returns whether no two items of {@code list} can use the same vertex or the same units. Pools are compared by their
     * type, structures by all types in them.
     */
    private static boolean areDisjoint(List<Resource> list, VertexKind host) {
        Set<String> taken = new HashSet<>();
        for (Resource item : list) {
            Set<String> touched = new HashSet<>();
            touch(item, host, touched);
            for (String type : touched) {
                if (!taken.add(type)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void touch(Resource item, VertexKind host, Set<String> touched) {
        if (item.isSlot()) {
            item.with().forEach(r -> touch(r, host, touched));
            return;
        }
        touched.add(item.type());
        for (VertexKind k : host.topmost(item.type()).keySet()) {
            touched.addAll(k.types());
        }
    }

    /**
     * Returns 1 if one copy certainly fits. This is so if at most one item is a structure and contains only pools: whichever
     * vertices the structure takes, the same units remain for the other items.
     */
    private long sharing(List<Resource> list, VertexKind host) {
        int structures = 0;
        for (Resource item : list) {
            boolean pool = !item.isSlot() && item.with().isEmpty() && host.isPool(item.type());
            structures += pool ? 0 : 1;
            if (!pool && (item.isSlot() || !hasPoolsOnly(item, host))) {
                return 0;
            }
            if (instances(item, host).least() < item.count().min()) {
                return 0;
            }
        }
        return structures <= 1 && Demand.leaves(list, host).copies(host) >= 1 ? 1 : 0;
    }

    private static boolean hasPoolsOnly(Resource item, VertexKind host) {
        return item.with().stream().allMatch(r -> r.with().isEmpty() && !r.isSlot() && host.isPool(r.type()));
    }
}
