package io.muster.inventory.feasibility;

import io.muster.inventory.feasibility.Stock.Cell;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.Resource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Constructs a placement of a list of resources: the lowest ranks are used first, and no two items of a list use the same
 * rank.
 */
final class Placer {
    private AreaFit fit;
    private final List<Share> placed = new ArrayList<>();

    Placer(AreaFit fit) {
        this.fit = fit;
    }

    /** Returns the placement, or null if this method finds none. Another placement may still exist. */
    @Nullable
    List<Share> place(List<Resource> list, Area area, long copies) {
        return items(list, area, copies) ? placed : null;
    }

    private boolean items(List<Resource> list, Area area, long copies) {
        // The items with the fewest choices come first: areas, then whole nodes, then items that can share.
        List<Resource> order = new ArrayList<>(list);
        order.sort(Comparator.comparingInt(this::freedom));
        for (Resource item : order) {
            if (!item(item, area, Fit.times(copies, item.count().min()))) {
                return false;
            }
        }
        return true;
    }

    private int freedom(Resource item) {
        return fit.isArea(item) ? 0 : fit.spans(item) ? 1 : item.isSlot() ? 2 : 3;
    }

    private boolean item(Resource item, Area area, long wanted) {
        if (fit.isArea(item)) {
            return areas(item, area, wanted);
        }
        if (item.isSlot() && fit.spans(item)) {
            return items(item.with(), area, wanted);
        }
        return inHosts(item, area, wanted) == 0;
    }

    private boolean areas(Resource item, Area area, long wanted) {
        long remaining = wanted;
        for (Area a : area.topmost(item.type())) {
            int before = placed.size();
            if (remaining > 0 && fit.copies(item.with(), a, 1).least() > 0) {
                if (items(item.with(), a, 1)) {
                    remaining--;
                } else {
                    placed.subList(before, placed.size()).clear();
                }
                fit = fit.without(a.ranks());
            }
        }
        return remaining == 0;
    }

    /** Places {@code item} on hosts, and returns how many of the {@code wanted} copies could not be placed. */
    private long inHosts(Resource item, Area area, long wanted) {
        long remaining = wanted;
        Idset taken = Idset.EMPTY;
        for (Cell cell : fit.cells()) {
            long each = fit.inHost(item, cell.kind()).least();
            Idset usable = remaining > 0 && each > 0 ? fit.usable(cell, area) : Idset.EMPTY;
            if (usable.isEmpty()) {
                continue;
            }
            long full = Math.min(usable.size(), remaining / each);
            Idset used = first(usable, (int) full);
            add(item, used, each);
            remaining -= full * each;
            if (remaining > 0 && full < usable.size()) {
                Idset last = Idset.of(usable.nth((int) full));
                add(item, last, remaining);
                used = used.union(last);
                remaining = 0;
            }
            taken = taken.union(used);
        }
        fit = fit.without(taken);
        return remaining;
    }

    private static Idset first(Idset ranks, int count) {
        return count == 0 ? Idset.EMPTY : ranks.intersect(Idset.range(0, ranks.nth(count - 1)));
    }

    private void add(Resource item, Idset ranks, long each) {
        if (!ranks.isEmpty()) {
            String label = item.label();
            placed.add(new Share(item.isSlot() && label != null ? "slot " + label : item.type(), ranks, each));
        }
    }
}
