package io.muster.inventory.status;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.Set;

/**
 * Groups ranks by their properties. The work grows with the number of ranks and of their properties. It does not grow with the number of
 * groups times the number of properties, because a cluster may have thousands of both.
 */
final class PropertyGroups {
    private PropertyGroups() {}

    /** Ranks with the same properties. */
    private static final class Group {
        private final List<String> properties;
        private final Idset.Builder ranks = Idset.builder();
        /** The groups whose ranks have one more property, by the name of that property. */
        private final Map<String, Group> more = new HashMap<>();

        private Group(List<String> properties) {
            this.properties = properties;
        }

        private Group with(String property) {
            return more.computeIfAbsent(property, name -> {
                List<String> all = new ArrayList<>(properties);
                all.add(name);
                return new Group(all);
            });
        }
    }

    /** Returns the ranks by the names of their properties, the group with the lowest rank first. */
    static Map<List<String>, Idset> of(ResourceSet resources, Idset ranks) {
        Group[] groups = new Group[ranks.size()];
        Arrays.fill(groups, new Group(List.of()));
        resources
                .properties()
                .forEach((name, having) -> having.intersect(ranks).forEach(rank -> {
                    int index = ranks.position(rank);
                    groups[index] = groups[index].with(name);
                }));
        Set<Group> inOrder = new LinkedHashSet<>();
        PrimitiveIterator.OfInt rank = ranks.stream().iterator();
        for (Group group : groups) {
            group.ranks.add(rank.nextInt());
            inOrder.add(group);
        }
        Map<List<String>, Idset> found = new LinkedHashMap<>();
        inOrder.forEach(group -> found.put(group.properties, group.ranks.build()));
        return found;
    }
}
