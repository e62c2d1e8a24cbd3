package io.muster.inventory.rset;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.PortableJson;
import io.muster.inventory.problem.Text;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The properties in R with their ranks (RFC 20). A property without ranks is not stored. */
final class PropertyMap {
    static final PropertyMap EMPTY = new PropertyMap(new TreeMap<>());

    /** Characters that RFC 20 ("properties") forbids in a name. */
    private static final String ILLEGAL = "!&'\"^`|()";

    private final SortedMap<String, Idset> byName;

    private PropertyMap(SortedMap<String, Idset> byName) {
        this.byName = Collections.unmodifiableSortedMap(byName);
    }

    static PropertyMap of(Map<String, Idset> properties) {
        SortedMap<String, Idset> held = new TreeMap<>();
        properties.forEach((name, ranks) -> {
            if (!ranks.isEmpty()) {
                held.put(name, ranks);
            }
        });
        return held.isEmpty() ? EMPTY : new PropertyMap(held);
    }

    /** Returns why {@code name} cannot be the name of a property, or null if it can. */
    static @Nullable String objection(String name) {
        if (name.isEmpty()) {
            return "a property name is empty";
        }
        for (int i = 0; i < name.length(); i++) {
            if (ILLEGAL.indexOf(name.charAt(i)) >= 0) {
                return "property name \"" + Text.escaped(name) + "\" has the illegal character " + name.charAt(i);
            }
        }
        String fault = PortableJson.keyFault(name);
        return fault == null ? null : "property name \"" + Text.escaped(name) + "\" " + fault;
    }

    static void requireLegal(String name) {
        String objection = objection(name);
        if (objection != null) {
            throw new IllegalArgumentException(objection);
        }
    }

    SortedMap<String, Idset> byName() {
        return byName;
    }

    Idset ranks(String name) {
        return byName.getOrDefault(name, Idset.EMPTY);
    }

    PropertyMap with(String name, Idset ranks) {
        if (ranks.equals(ranks(name))) {
            return this;
        }
        SortedMap<String, Idset> changed = new TreeMap<>(byName);
        changed.put(name, ranks);
        return of(changed);
    }

    PropertyMap without(Predicate<String> names) {
        SortedMap<String, Idset> changed = new TreeMap<>(byName);
        changed.keySet().removeIf(names);
        return of(changed);
    }

    PropertyMap keep(Idset ranks) {
        return map(own -> own.intersect(ranks));
    }

    PropertyMap map(UnaryOperator<Idset> change) {
        SortedMap<String, Idset> changed = new TreeMap<>();
        byName.forEach((name, ranks) -> changed.put(name, change.apply(ranks)));
        return of(changed);
    }

    PropertyMap union(PropertyMap that) {
        SortedMap<String, Idset> all = new TreeMap<>(byName);
        that.byName.forEach((name, ranks) -> all.merge(name, ranks, Idset::union));
        return of(all);
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return this == o || (o instanceof PropertyMap that && byName.equals(that.byName));
    }

    @Override
    public int hashCode() {
        return byName.hashCode();
    }
}
