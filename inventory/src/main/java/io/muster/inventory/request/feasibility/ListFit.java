package io.muster.inventory.request.feasibility;

import io.muster.inventory.request.Count;
import io.muster.inventory.request.Resource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether several requests side by side fit into one area together, where they compete for hosts. */
final class ListFit {
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
        @Nullable Boolean together = together(wanted);
        if (together == null) {
            return new Fit(0, most);
        }
        return together ? new Fit(wanted, most) : new Fit(0, wanted - 1);
    }

    private @Nullable Boolean together(long wanted) {
        if (list.stream().allMatch(this::isNodes)) {
            return nodes(wanted);
        }
        if (list.stream().allMatch(fit::isArea)
                && list.stream().map(Resource::type).distinct().count() == 1) {
            return areas(wanted);
        }
        if (list.stream().noneMatch(fit::spans)) {
            return sharing(wanted);
        }
        return apart(wanted);
    }

    /** A node, or a slot of nothing but one. */
    private boolean isNodes(Resource item) {
        return item.type().equals(Resource.NODE)
                || (item.isSlot()
                        && item.with().size() == 1
                        && isNodes(item.with().get(0)));
    }

    private @Nullable Boolean nodes(long wanted) {
        long[] demands = new long[list.size()];
        boolean[][] surely = new boolean[list.size()][];
        boolean[][] perhaps = new boolean[list.size()][];
        for (int i = 0; i < demands.length; i++) {
            demands[i] = wanted;
            Resource item = list.get(i);
            while (item.isSlot()) {
                demands[i] = Fit.times(demands[i], item.count().min());
                item = item.with().get(0);
            }
            demands[i] = Fit.times(demands[i], item.count().min());
            surely[i] = new boolean[fit.cells().size()];
            perhaps[i] = new boolean[fit.cells().size()];
            for (int k = 0; k < surely[i].length; k++) {
                Fit one = fit.inHost(item, fit.cells().get(k).kind());
                surely[i][k] = one.least() > 0;
                perhaps[i][k] = one.most() > 0;
            }
        }
        return covered(fit.counts(area), demands, surely, perhaps);
    }

    private static @Nullable Boolean covered(long[] supplies, long[] demands, boolean[][] surely, boolean[][] perhaps) {
        if (new Transport(supplies, demands, surely).covers()) {
            return true;
        }
        return new Transport(supplies, demands, perhaps).covers() ? null : Boolean.FALSE;
    }

    private @Nullable Boolean areas(long wanted) {
        List<Area> areas = area.topmost(list.get(0).type());
        long[] demands = new long[list.size()];
        long[] supplies = new long[areas.size()];
        Arrays.fill(supplies, 1);
        boolean[][] surely = new boolean[list.size()][areas.size()];
        boolean[][] perhaps = new boolean[list.size()][areas.size()];
        for (int i = 0; i < demands.length; i++) {
            demands[i] = Fit.times(wanted, list.get(i).count().min());
            for (int a = 0; a < supplies.length; a++) {
                Fit one = fit.copies(list.get(i).with(), areas.get(a), 1);
                surely[i][a] = one.least() > 0;
                perhaps[i][a] = one.most() > 0;
            }
        }
        return covered(supplies, demands, surely, perhaps);
    }

    /** Slots and loose pools that may share hosts. */
    private @Nullable Boolean sharing(long wanted) {
        if (Boolean.TRUE.equals(apart(wanted))) {
            return true;
        }
        int[] demands = new int[list.size()];
        for (int i = 0; i < demands.length; i++) {
            long demand = Fit.times(wanted, list.get(i).count().min());
            if (demand > Count.MAX || area.hasOutside(list.get(i).type())) {
                return null;
            }
            demands[i] = (int) demand;
        }
        List<VectorPacking.Hosts> kinds = new ArrayList<>();
        long[] counts = fit.counts(area);
        for (int k = 0; k < counts.length; k++) {
            VectorPacking.@Nullable Hosts kind =
                    fit.mix(list, fit.cells().get(k).kind(), counts[k]);
            if (kind == null) {
                return null;
            }
            if (counts[k] > 0) {
                kinds.add(kind);
            }
        }
        return new VectorPacking(demands).fits(kinds);
    }

    /** True if they fit even when no host serves two of them; else it is left open. */
    private @Nullable Boolean apart(long wanted) {
        return new Placer(fit).place(list, area, wanted) == null ? null : Boolean.TRUE;
    }
}
