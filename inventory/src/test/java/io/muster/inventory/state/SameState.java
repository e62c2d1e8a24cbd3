package io.muster.inventory.state;

import io.muster.inventory.axis.Definition;
import java.util.Arrays;
import java.util.List;

/** Compares states in a tenth of the time that their JSON takes. */
public final class SameState {
    private SameState() {}

    /** Whether two states are equal, as {@link StateJson#toBytes} writes them. */
    @SuppressWarnings("ReferenceEquality")
    public static boolean test(InventoryState one, InventoryState other) {
        return one == other
                || (test(one.definition(), other.definition()) && test(one.books(), other.books()) && ranks(one, other))
                || Arrays.equals(StateJson.toBytes(one), StateJson.toBytes(other));
    }

    private static boolean ranks(InventoryState one, InventoryState other) {
        return one.liveness().groups().equals(other.liveness().groups())
                && List.copyOf(one.liveness().reports().all())
                        .equals(List.copyOf(other.liveness().reports().all()))
                && one.membership().groups().equals(other.membership().groups())
                && one.holds().groups().equals(other.holds().groups())
                && one.departed().equals(other.departed());
    }

    private static boolean test(Definition one, Definition other) {
        return one.method().equals(other.method())
                && one.base().equals(other.base())
                && one.added().equals(other.added())
                && one.removed().equals(other.removed())
                && one.expirationSet() == other.expirationSet();
    }

    private static boolean test(Bookkeeping one, Bookkeeping other) {
        return one.level() == other.level()
                && one.ids().all().equals(other.ids().all())
                && one.acquisitions().equals(other.acquisitions())
                && one.notes().inside().equals(other.notes().inside())
                && one.notes().outside().equals(other.notes().outside())
                && one.extras().equals(other.extras());
    }
}
