package io.muster.inventory.axis;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.json.Fields;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * R as it was defined, together with the current R. Changes to properties and to the expiration by admins are stored apart
 * from the defined R, so that a new definition of the same hosts keeps them.
 */
public final class Definition {
    /** Marks that no admin has set the expiration, so the definition's own expiration applies. */
    private static final double AS_DEFINED = -1;

    private final ResourceSet base;
    private final String method;
    private final SortedTree<String, Idset> added;
    private final SortedTree<String, Idset> removed;
    private final double expiration;
    private final ResourceSet resources;

    private Definition(
            ResourceSet base,
            String method,
            SortedTree<String, Idset> added,
            SortedTree<String, Idset> removed,
            double expiration,
            ResourceSet resources) {
        this.base = base;
        this.method = method;
        this.added = added;
        this.removed = removed;
        this.expiration = expiration;
        this.resources = resources;
    }

    public static Definition of(ResourceSet base, String method) {
        return new Definition(base, method, SortedTree.empty(), SortedTree.empty(), AS_DEFINED, base);
    }

    /**
     * Returns a definition with the changes that admins made since, as a snapshot stores them. A negative expiration means
     * that no admin changed it.
     */
    public static Definition restore(
            ResourceSet base,
            String method,
            SortedTree<String, Idset> added,
            SortedTree<String, Idset> removed,
            double expiration) {
        ResourceSet now = expiration < 0 ? base : base.withExpiration(expiration);
        for (var edit : added.entrySet()) {
            now = now.withProperty(edit.getKey(), edit.getValue());
        }
        for (var edit : removed.entrySet()) {
            now = now.withoutProperty(edit.getKey(), edit.getValue());
        }
        return new Definition(base, method, added, removed, expiration, now);
    }

    /**
     * Reads an object whose keys are names of properties and whose values are the ranks that have them. A property without
     * ranks is a fault.
     */
    public static SortedTree<String, Idset> readProperties(Fields in) {
        SortedTree<String, Idset> properties = SortedTree.empty();
        for (String name : in.names()) {
            Idset ranks = in.parse(name, Idset::parse);
            if (ranks.isEmpty()) {
                throw in.fault(name, "names no rank");
            }
            properties = properties.with(name, ranks);
        }
        return properties;
    }

    /** Returns R with all changes by admins applied. */
    public ResourceSet resources() {
        return resources;
    }

    /** Returns R as the configuration or a reload gave it. */
    public ResourceSet base() {
        return base;
    }

    /** Returns RFC 44's word for the source of the definition. */
    public String method() {
        return method;
    }

    public SortedTree<String, Idset> added() {
        return added;
    }

    public SortedTree<String, Idset> removed() {
        return removed;
    }

    /** Returns the expiration that an admin set; negative if none did. */
    public double expirationSet() {
        return expiration;
    }

    public Definition withProperties(Map<String, Idset> names) {
        return edit(names, added, removed, true);
    }

    public Definition withoutProperties(Map<String, Idset> names) {
        return edit(names, removed, added, false);
    }

    private Definition edit(
            Map<String, Idset> names,
            SortedTree<String, Idset> edits,
            SortedTree<String, Idset> opposite,
            boolean add) {
        SortedTree<String, Idset> nextEdits = edits;
        SortedTree<String, Idset> nextOpposite = opposite;
        ResourceSet now = resources;
        for (var entry : names.entrySet()) {
            String name = entry.getKey();
            Idset ranks = entry.getValue();
            Idset defined = base.properties().getOrDefault(name, Idset.EMPTY);
            Idset changed = add ? ranks.subtract(defined) : ranks.intersect(defined);
            nextEdits = merge(nextEdits, name, ids -> ids.union(changed));
            nextOpposite = merge(nextOpposite, name, ids -> ids.subtract(ranks));
            now = add ? now.withProperty(name, ranks) : now.withoutProperty(name, ranks);
        }
        return add
                ? new Definition(base, method, nextEdits, nextOpposite, expiration, now)
                : new Definition(base, method, nextOpposite, nextEdits, expiration, now);
    }

    public Definition withExpiration(double value) {
        return new Definition(base, method, added, removed, value, resources.withExpiration(value));
    }

    /** Returns a definition with a new R. Changes to hosts that the new R still has are kept, under their new ranks. */
    public Definition redefine(ResourceSet next, String nextMethod, Remap remap) {
        boolean definedAnew = next.expiration() != base.expiration();
        return restore(
                next,
                nextMethod,
                translate(added, remap),
                translate(removed, remap),
                definedAnew || expirationFault(next, expiration) != null ? AS_DEFINED : expiration);
    }

    /**
     * Returns why R cannot have this expiration, or null if it can. A negative expiration means that no admin has set one,
     * which is no fault.
     */
    public static @Nullable String expirationFault(ResourceSet resources, double expiration) {
        double start = resources.starttime();
        return expiration > 0 && expiration <= start
                ? "expiration " + Epoch.decimal(expiration).toPlainString() + " is not after R's start time "
                        + Epoch.decimal(start).toPlainString()
                : null;
    }

    /** Returns the names of the properties that {@code edits} lists for each of {@code ranks}; ranks without any are left out. */
    public static Map<Integer, List<String>> namesOn(SortedTree<String, Idset> edits, Idset ranks) {
        Map<Integer, List<String>> names = new HashMap<>();
        edits.forEach((name, having) -> having.intersect(ranks)
                .forEach(rank ->
                        names.computeIfAbsent(rank, r -> new ArrayList<>()).add(name)));
        return names;
    }

    private static SortedTree<String, Idset> translate(SortedTree<String, Idset> edits, Remap remap) {
        SortedTree<String, Idset> next = edits;
        for (var edit : edits.entrySet()) {
            next = merge(next, edit.getKey(), remap::translate);
        }
        return next;
    }

    private static SortedTree<String, Idset> merge(
            SortedTree<String, Idset> map, String name, UnaryOperator<Idset> change) {
        Idset next = change.apply(map.getOrDefault(name, Idset.EMPTY));
        return next.isEmpty() ? map.without(name) : map.with(name, next);
    }
}
