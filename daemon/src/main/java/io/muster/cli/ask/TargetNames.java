package io.muster.cli.ask;

import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * TARGETS as users give them: an idset or a hostlist, which every server understands, or {@code all} and {@code @PROPERTY}, which are
 * converted to ranks here because no server understands them.
 */
public final class TargetNames {
    private static final String ALL = "all";

    private TargetNames() {}

    /** The targets to send for {@code text}. The server is asked for R only if {@code text} contains {@code all} or {@code @PROPERTY}. */
    public static String spell(FluxClient client, String text) throws IOException {
        return isSelection(text) ? spell(Overview.ask(client).resources(), text) : text;
    }

    static String spell(ResourceSet resources, String text) {
        return isSelection(text) ? find(resources, text).toString() : text;
    }

    /**
     * The targets to send for {@code text}, where {@code all} and {@code @PROPERTY} select only ranks that are neither excluded nor lost.
     */
    public static String spellMembers(FluxClient client, String text) throws IOException {
        if (!isSelection(text)) {
            return text;
        }
        Overview standing = Overview.ask(client);
        Idset found = find(standing.resources(), standing.state().members(), text);
        if (found.isEmpty()) {
            throw new Failure(Exit.NO_TARGET, "all of " + text + " are excluded or lost", "nothing was changed");
        }
        return found.toString();
    }

    private static boolean isSelection(String text) {
        return text.indexOf('@') >= 0 || split(text).contains(ALL);
    }

    /** The selected ranks; fails if one of them does not exist. */
    public static Idset find(ResourceSet resources, String text) {
        return find(resources, resources.ranks(), text);
    }

    private static Idset find(ResourceSet resources, Idset selectable, String text) {
        Idset found = Idset.EMPTY;
        for (String part : isPlain(resources, text) ? List.of(text) : split(text)) {
            found = found.union(findPart(resources, selectable, part));
        }
        return found;
    }

    /** The selected ranks that exist: a list made for one cluster may be used to look at another. Fails if none exists. */
    public static Idset among(ResourceSet resources, String text) {
        if (!isPlain(resources, text)) {
            return find(resources, text);
        }
        Idset found;
        try {
            return resources.targets(text);
        } catch (MalformedException e) {
            throw malformed(e);
        } catch (TargetException e) {
            found = e.missingHosts().isEmpty()
                    ? Idset.parse(text).intersect(resources.ranks())
                    : resources.ranksOf(without(Hostlist.parse(text), e.missingHosts()));
            if (found.isEmpty()) {
                throw missing(e);
            }
        }
        return found;
    }

    /** Whether each host is in R, or has left R and is remembered. */
    public static boolean haveAllBeenThere(Overview standing, String text) {
        try {
            return !standing.resources().targets(text).isEmpty();
        } catch (TargetException e) {
            Hostlist missing = e.missingHosts();
            return !missing.isEmpty() && standing.state().departed().keySet().containsAll(missing.expand());
        } catch (MalformedException e) {
            return false;
        }
    }

    private static Hostlist without(Hostlist hosts, Hostlist missing) {
        List<String> kept = new ArrayList<>(hosts.expand());
        kept.removeAll(missing.expand());
        return Hostlist.of(kept);
    }

    /** Whether {@code text} is an idset or a hostlist. If a host is named {@code all}, that word means this host. */
    private static boolean isPlain(ResourceSet resources, String text) {
        return !isSelection(text)
                || (text.indexOf('@') < 0 && !resources.ranksOf(ALL).isEmpty());
    }

    private static Idset findPart(ResourceSet resources, Idset selectable, String part) {
        if (part.equals(ALL)) {
            return selectable;
        }
        if (part.startsWith("@")) {
            return having(resources, part.substring(1)).intersect(selectable);
        }
        try {
            return resources.targets(part);
        } catch (MalformedException e) {
            throw malformed(e);
        } catch (TargetException e) {
            throw missing(e);
        }
    }

    /** The ranks with a property; fails if no host has the property. */
    public static Idset having(ResourceSet resources, String property) {
        Idset ranks = resources.properties().get(property);
        if (ranks == null) {
            String known = String.join(", ", resources.properties().keySet());
            throw new Failure(
                    Exit.NO_TARGET,
                    "no host has the property " + property,
                    known.isEmpty() ? "" : "there are " + known);
        }
        return ranks;
    }

    private static Failure malformed(MalformedException e) {
        return new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
    }

    private static Failure missing(TargetException e) {
        return new Failure(Exit.NO_TARGET, String.valueOf(e.getMessage()));
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
