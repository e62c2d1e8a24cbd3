package io.muster.inventory.feasibility;

import io.muster.inventory.request.Resource;
import java.util.List;

/** Counts how many slots a request could have if its outermost count were open. */
final class SlotCount {
    private SlotCount() {}

    /**
     * Returns the largest number of slots; -1 if it is not known exactly, or if the request is not one chain of vertices
     * down to one slot.
     */
    static long most(List<Resource> list, AreaFit fit) {
        if (list.size() != 1) {
            return -1;
        }
        Resource item = list.get(0);
        long each = item.isSlot() ? 1 : within(item.with());
        Fit most = each < 0 ? Fit.NONE : fit.instances(item, fit.top(), 1);
        return each < 0 || !most.isExact() || most.most() >= Fit.MANY ? -1 : Fit.times(most.most(), each);
    }

    /** Returns the number of slots in one copy of {@code list}; -1 if the list is not one chain. */
    private static long within(List<Resource> list) {
        if (list.size() != 1) {
            return -1;
        }
        Resource item = list.get(0);
        long inner = item.isSlot() ? 1 : within(item.with());
        return inner < 0 ? -1 : Fit.times(item.count().min(), inner);
    }
}
