package io.muster.inventory.state;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import java.util.ArrayList;
import java.util.List;

/**
 * The grammar of targets as people write them: an idset or a hostlist, or a list separated by commas whose parts may also be
 * {@code all} and {@code @PROPERTY}. Every method that returns ranks throws a {@link MalformedException} if the text is none of
 * these, and a {@link TargetException} if a rank, host or property does not exist.
 */
public final class TargetExpression {
    private static final String ALL = "all";

    private TargetExpression() {}

    /** Returns whether the text contains {@code all} or {@code @PROPERTY}, which no request may contain. */
    public static boolean isSelection(String text) {
        return text.indexOf('@') >= 0 || split(text).contains(ALL);
    }

    /** Returns the selected ranks. */
    public static Idset find(ResourceSet resources, String text) {
        return find(resources, resources.ranks(), text);
    }

    /** Returns the selected ranks, where {@code all} and {@code @PROPERTY} select only ranks of {@code selectable}. */
    public static Idset find(ResourceSet resources, Idset selectable, String text) {
        Idset found = Idset.EMPTY;
        for (String part : isPlain(resources, text) ? List.of(text) : split(text)) {
            found = found.union(findPart(resources, selectable, part));
        }
        return found;
    }

    /**
     * Returns the selected ranks that exist, because a list made for one cluster may be used to look at another; throws if none
     * exists.
     */
    public static Idset among(ResourceSet resources, String text) {
        if (!isPlain(resources, text)) {
            return find(resources, text);
        }
        try {
            return resources.targets(text);
        } catch (TargetException e) {
            Idset found = e.missingHosts().isEmpty()
                    ? Idset.parse(text).intersect(resources.ranks())
                    : resources.ranksOf(without(Hostlist.parse(text), e.missingHosts()));
            if (found.isEmpty()) {
                throw e;
            }
            return found;
        }
    }

    /** Returns the ranks with a property. */
    public static Idset having(ResourceSet resources, String property) {
        Idset ranks = resources.properties().get(property);
        if (ranks == null) {
            throw TargetException.property(property);
        }
        return ranks;
    }

    /** Returns whether each host is in R, or has left R and is remembered. */
    public static boolean haveAllBeenThere(InventoryState state, String text) {
        try {
            return !state.resources().targets(text).isEmpty();
        } catch (TargetException e) {
            Hostlist missing = e.missingHosts();
            return !missing.isEmpty() && state.departed().keySet().containsAll(missing.expand());
        } catch (MalformedException e) {
            return false;
        }
    }

    private static Hostlist without(Hostlist hosts, Hostlist missing) {
        List<String> kept = new ArrayList<>(hosts.expand());
        kept.removeAll(missing.expand());
        return Hostlist.of(kept);
    }

    /** Returns whether the text is an idset or a hostlist. If a host is named {@code all}, that word means this host. */
    private static boolean isPlain(ResourceSet resources, String text) {
        return !isSelection(text)
                || (text.indexOf('@') < 0 && !resources.ranksOf(ALL).isEmpty());
    }

    private static Idset findPart(ResourceSet resources, Idset selectable, String part) {
        if (part.equals(ALL)) {
            return selectable;
        }
        return part.startsWith("@")
                ? having(resources, part.substring(1)).intersect(selectable)
                : resources.targets(part);
    }

    /** Splits a text at commas that are not in brackets. */
    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(text.substring(from));
        return parts;
    }
}
