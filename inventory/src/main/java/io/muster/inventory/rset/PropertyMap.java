package io.muster.inventory.rset;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.json.PortableJson;
import io.muster.inventory.problem.Text;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The properties in R with their ranks (RFC 20). A property without ranks is not stored. */
final class PropertyMap {
    static final PropertyMap EMPTY = new PropertyMap(SortedTree.empty());

    /** Characters that RFC 20 ("properties") forbids in a name. */
    private static final String ILLEGAL = "!&'\"^`|()";

    private final SortedTree<String, Idset> byName;

    private PropertyMap(SortedTree<String, Idset> byName) {
        this.byName = byName;
    }

    static PropertyMap of(Map<String, Idset> properties) {
        PropertyMap all = EMPTY;
        for (Map.Entry<String, Idset> property : properties.entrySet()) {
            all = all.with(property.getKey(), property.getValue());
        }
        return all;
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

    SortedTree<String, Idset> byName() {
        return byName;
    }

    Idset ranks(String name) {
        return byName.getOrDefault(name, Idset.EMPTY);
    }

    /** Returns this map with other ranks for one property, or this map itself if the property has these ranks already. */
    PropertyMap with(String name, Idset ranks) {
        if (ranks.equals(ranks(name))) {
            return this;
        }
        return new PropertyMap(ranks.isEmpty() ? byName.without(name) : byName.with(name, ranks));
    }

    PropertyMap without(Predicate<String> names) {
        PropertyMap rest = this;
        for (String name : byName.keySet()) {
            rest = names.test(name) ? rest.with(name, Idset.EMPTY) : rest;
        }
        return rest;
    }

    PropertyMap keep(Idset ranks) {
        return map(own -> own.intersect(ranks));
    }

    PropertyMap map(UnaryOperator<Idset> change) {
        PropertyMap changed = this;
        for (Map.Entry<String, Idset> property : byName.entrySet()) {
            changed = changed.with(property.getKey(), change.apply(property.getValue()));
        }
        return changed;
    }

    PropertyMap union(PropertyMap that) {
        PropertyMap all = this;
        for (Map.Entry<String, Idset> property : that.byName.entrySet()) {
            String name = property.getKey();
            all = all.with(name, ranks(name).union(property.getValue()));
        }
        return all;
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
