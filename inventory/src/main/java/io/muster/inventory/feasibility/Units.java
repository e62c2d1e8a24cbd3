package io.muster.inventory.feasibility;

import io.muster.inventory.graph.Unit;
import io.muster.inventory.request.Resource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts the units in which pools and requests give amounts. */
final class Units {
    private Units() {}

    /** Returns the unit that the request gives, "" for none. */
    static String of(Resource item) {
        String unit = item.unit();
        return unit == null ? "" : unit;
    }

    /**
     * Returns why the amounts in {@code list} have no meaning, or null if they have one. A type may be given in units that
     * cannot be compared, or in a unit in which no pool of {@code stock} is counted. Pools in other units count as having
     * none of the requested amount.
     */
    static @Nullable String fault(List<Resource> list, Stock stock) {
        return fault(list, stock, new HashMap<>());
    }

    private static @Nullable String fault(List<Resource> list, Stock stock, Map<String, String> unitsByType) {
        for (Resource item : list) {
            @Nullable
            String fault =
                    item.with().isEmpty() ? leaf(item, stock, unitsByType) : fault(item.with(), stock, unitsByType);
            if (fault != null) {
                return fault;
            }
        }
        return null;
    }

    private static @Nullable String leaf(Resource item, Stock stock, Map<String, String> unitsByType) {
        String unit = of(item);
        @Nullable String earlierUnit = unitsByType.putIfAbsent(item.type(), unit);
        if (earlierUnit != null && !base(earlierUnit).equals(base(unit))) {
            return item.type() + " is asked for in " + name(earlierUnit) + " and in " + name(unit);
        }
        Set<String> poolUnits = unit.isEmpty() ? Set.of() : stock.units(item.type());
        return poolUnits.isEmpty() || poolUnits.stream().anyMatch(u -> base(u).equals(base(unit)))
                ? null
                : item.type() + " is asked for in " + name(unit) + ", but the inventory counts it in "
                        + poolUnits.stream().map(Units::name).collect(Collectors.joining(" and "));
    }

    private static String name(String unit) {
        return unit.isEmpty() ? "no unit" : '"' + unit + '"';
    }

    /** Returns a size in the base unit {@code base}, 0 if the size is counted in another unit; the size itself if base is "". */
    static long amount(long size, String unit, String base) {
        return base.isEmpty() ? size : base(unit).equals(base) ? Fit.times(size, factor(unit)) : 0;
    }

    static String base(String unit) {
        return Unit.of(unit).base();
    }

    /** Returns the number of base units in one {@code unit}. */
    static long factor(String unit) {
        return Unit.of(unit).factor();
    }
}
