package io.muster.inventory.state;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Reads targets in the form in which people write them: an idset or a hostlist, or a list separated by commas whose parts
 * may also be {@code all} and {@code @PROPERTY}. Every method that returns ranks throws a {@link MalformedException} if the
 * text has none of these forms, and a {@link TargetException} if a rank, host or property does not exist.
 */
public final class TargetExpression {
    private static final String ALL = "all";

    private TargetExpression() {}

    /**
     * Returns whether the text contains {@code all} or {@code @PROPERTY}. Commands never have them: the daemon, or the command line,
     * replaces them by hosts or ranks.
     */
    public static boolean isSelection(String text) {
        return text.indexOf('@') >= 0 || parts(text).contains(ALL);
    }

    /** Returns the ranks that the text selects. */
    public static Idset find(ResourceSet resources, String text) {
        return find(resources, resources.ranks(), text);
    }

    /** Returns the ranks that the text selects. {@code all} and {@code @PROPERTY} select only ranks in {@code selectable}. */
    public static Idset find(ResourceSet resources, Idset selectable, String text) {
        Idset found = Idset.EMPTY;
        for (String part : isPlain(resources, text) ? List.of(text) : parts(text)) {
            found = found.union(findPart(resources, selectable, part));
        }
        return found;
    }

    /**
     * Returns those of the selected ranks that exist; throws only if none exists. A list of hosts that was made for one cluster
     * can thus be used to query another cluster.
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

    /**
     * Returns what targets in the form that commands have name.
     *
     * @throws TargetException if a target is neither in R nor remembered as departed
     */
    public static Known known(InventoryState state, Collection<String> texts) {
        Idset found = Idset.EMPTY;
        List<String> departed = new ArrayList<>();
        for (String text : Set.copyOf(texts)) {
            try {
                found = found.union(state.resources().targets(text));
            } catch (TargetException e) {
                if (!haveAllBeenThere(state, text)) {
                    throw e;
                }
                departed.addAll(e.missingHosts().expand());
                found = found.union(state.resources().ranksOfKnown(Hostlist.parse(text)));
            }
        }
        Hostlist hosts = state.resources().hostsOf(found);
        return new Known(
                found,
                departed.isEmpty()
                        ? hosts
                        : hosts.append(Hostlist.of(
                                departed.stream().distinct().sorted().toList())));
    }

    /**
     * What targets name.
     *
     * @param ranks those that R has
     * @param hosts their hosts, in the order of the ranks, followed by those that have left R
     */
    public record Known(Idset ranks, Hostlist hosts) {}

    /** Returns whether each host is in R, or has left R and is remembered as departed. */
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
        return hosts.select(Idset.range(0, hosts.size() - 1).subtract(hosts.indexesOf(missing)));
    }

    /**
     * Returns whether the text is an idset or a hostlist. If R has a host with the name {@code all}, that word means this
     * host.
     */
    private static boolean isPlain(ResourceSet resources, String text) {
        return !isSelection(text)
                || (text.indexOf('@') < 0 && !resources.ranksOf(ALL).isEmpty());
    }

    private static Idset findPart(ResourceSet resources, Idset selectable, String part) {
        if (part.equals(ALL)) {
            return selectable;
        }
        if (isSearch(part)) {
            throw new MalformedException("targets", part, 0, "only a daemon can search for these");
        }
        return part.startsWith("@")
                ? having(resources, part.substring(1)).intersect(selectable)
                : resources.targets(part);
    }

    /**
     * Returns whether a part of a text is {@code @{EXPRESSION}} or a path of a vertex, which the command replaces by the ranks
     * that the daemon finds.
     */
    public static boolean isSearch(String part) {
        return part.startsWith("@{") || part.startsWith("/");
    }

    /**
     * Returns the expression that a search has: the path itself, or the text between the braces.
     *
     * @throws MalformedException if the brace is not closed
     */
    public static String expression(String search) {
        if (search.startsWith("/")) {
            return search;
        }
        if (!search.endsWith("}")) {
            throw new MalformedException("targets", search, search.length(), "the brace is not closed");
        }
        return search.substring("@{".length(), search.length() - 1);
    }

    /** Splits a text at commas that are neither in brackets nor in {@code @{EXPRESSION}}. */
    public static List<String> parts(String text) {
        return split(text, ',');
    }

    /** Splits a text at spaces that are not in {@code @{EXPRESSION}}: into words, each of which may name ranks or hosts. */
    public static List<String> words(String text) {
        return split(text, ' ');
    }

    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            i = text.startsWith("@{", i) ? endOfSearch(text, i + 2) : i;
            char c = text.charAt(i);
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (c == separator && depth == 0) {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(text.substring(from));
        return parts;
    }

    /** Returns the index of the brace that ends a search, which is not in quotes, or of the last character. */
    private static int endOfSearch(String text, int start) {
        char quote = 0;
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote == 0 && c == '}') {
                return i;
            }
            quote = quote == c ? 0 : quote == 0 && (c == '"' || c == '\'') ? c : quote;
        }
        return text.length() - 1;
    }
}
