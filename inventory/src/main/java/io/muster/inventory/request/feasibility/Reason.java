package io.muster.inventory.request.feasibility;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.Constraint;
import io.muster.inventory.request.Count;
import io.muster.inventory.request.Request;
import io.muster.inventory.request.Resource;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The sentence that says why a request never fits: the first stage that fails, and the nearest that there is. */
final class Reason {
    private static final int MOST_NAMES = 8;
    private static final int MOST_CHARS = 120;

    private final ResourceSet r;
    private final Stock stock;
    private final Request request;
    private final AreaFit fit;

    Reason(ResourceSet r, Stock stock, Request request, AreaFit fit) {
        this.r = r;
        this.stock = stock;
        this.request = request;
        this.fit = fit;
    }

    /** The names of the hosts, or of the first few when they are scattered. */
    static String hosts(ResourceSet r, Idset ranks) {
        boolean scattered = ranks.rangeCount() > MOST_NAMES;
        Idset shown = scattered ? ranks.intersect(Idset.range(0, ranks.nth(MOST_NAMES - 1))) : ranks;
        String text = r.hostsOf(shown).toString();
        String more = scattered ? " and " + (ranks.size() - MOST_NAMES) + " more" : "";
        return (text.length() <= MOST_CHARS ? text : text.substring(0, MOST_CHARS) + "...") + more;
    }

    /**
     * @param items what single hosts are asked to hold
     * @param qualifying the hosts that hold one of them
     */
    String sentence(List<Resource> items, Idset qualifying) {
        @Nullable String missing = missingType(request.resources());
        if (missing != null) {
            return missing;
        }
        @Nullable String fault = areas(request.resources(), fit.top(), 1);
        if (fault == null) {
            fault = items.size() == 1 ? single(items.get(0), qualifying) : several(items);
        }
        return fault + constraint();
    }

    /** The first vertex above the nodes of which there are too few, unless it is the only one of its type. */
    private @Nullable String areas(List<Resource> list, Area area, long times) {
        for (Resource item : list) {
            long need = Fit.times(times, item.count().min());
            if (fit.isArea(item)) {
                int all = area.topmost(item.type()).size();
                long have = fit.instances(item, area, need).most();
                if (all < need) {
                    return plural(need, item.type()) + " asked; " + all + (all == 1 ? " is there" : " are there");
                }
                if (have < need && all > 1) {
                    return plural(need, item.type()) + " of " + list(item.with(), "=") + " asked; "
                            + (have == 0 ? "none" : String.valueOf(have)) + " of " + all
                            + (have == 1 ? " has" : " have") + " that";
                }
            } else if (item.isSlot()) {
                @Nullable String below = areas(item.with(), area, need);
                if (below != null) {
                    return below;
                }
            }
        }
        return null;
    }

    private @Nullable String missingType(List<Resource> list) {
        for (Resource item : list) {
            if (!item.isSlot() && !stock.types().contains(item.type())) {
                return "type \"" + item.type() + "\" does not occur in this inventory; it has "
                        + String.join(", ", stock.types());
            }
            @Nullable String below = missingType(item.with());
            if (below != null) {
                return below;
            }
        }
        return null;
    }

    private String several(List<Resource> items) {
        for (Resource item : items) {
            if (fit.qualifying(List.of(item)).isEmpty()) {
                return single(item, Idset.EMPTY);
            }
        }
        List<String> parts =
                items.stream().map(i -> i.count() + " " + describe(i)).toList();
        return String.join(" and ", parts) + " asked; each alone may fit, together they do not";
    }

    private String single(Resource item, Idset qualifying) {
        long need = need(request.resources(), item, 1);
        if (item.type().equals(Resource.NODE)) {
            return nodes(item, need, qualifying);
        }
        return item.isSlot() ? slots(item, need) : units(item, need);
    }

    /** The count of {@code wanted} times those of the slots and areas around it. */
    private static long need(List<Resource> list, Resource wanted, long times) {
        for (Resource item : list) {
            long count = Fit.times(times, item.count().min());
            if (item.equals(wanted)) {
                return count;
            }
            long below = need(item.with(), wanted, count);
            if (below > 0) {
                return below;
            }
        }
        return 0;
    }

    private static String plural(long n, String word) {
        return n + " " + word + (n == 1 ? "" : "s");
    }

    private String nodes(Resource item, long need, Idset qualifying) {
        StringBuilder text = new StringBuilder(plural(need, "node"));
        String with = asks(item);
        text.append(with.isEmpty() ? "" : " with " + with).append(" asked; ");
        int have = qualifying.size();
        int all = fit.allowed().size();
        if (with.isEmpty()) {
            return text.append(all)
                    .append(all == 1 ? " is there" : " are there")
                    .toString();
        }
        text.append(have == 0 ? "none" : String.valueOf(have)).append(" of ").append(all);
        text.append(have == 1 ? " has them" : " have them");
        text.append(have > 0 ? " (" + hosts(r, qualifying) + ")" : "");
        return text.append(nearest(item, have)).append(remedy(item, have)).toString();
    }

    /** What a node must have in all; slots in it are added up. */
    private String asks(Resource node) {
        if (node.with().stream().noneMatch(Resource::isSlot)) {
            return list(node.with(), " >= ");
        }
        List<String> parts = new ArrayList<>();
        needs(node.with()).forEach((type, amount) -> parts.add(type + " >= " + amount));
        return parts.isEmpty() ? list(node.with(), " >= ") : String.join(" and ", parts);
    }

    /** For the pool that the fewest hosts have enough of: how much the most of the others have. */
    private String nearest(Resource item, int have) {
        String scarce = "";
        long amount = 0;
        long fewest = Long.MAX_VALUE;
        for (Map.Entry<String, Long> e : needs(item.with()).entrySet()) {
            long enough = 0;
            for (Map.Entry<Long, Long> level :
                    levels(e.getKey()).tailMap(e.getValue()).entrySet()) {
                enough += level.getValue();
            }
            if (enough < fewest) {
                fewest = enough;
                scarce = e.getKey();
                amount = e.getValue();
            }
        }
        SortedMap<Long, Long> below = levels(scarce).headMap(amount);
        if (scarce.isEmpty() || fewest > have || below.isEmpty()) {
            return scarce.isEmpty() || fewest <= have ? "" : "; no other node has all of these at once";
        }
        long nearest = below.lastKey();
        long others = below.getOrDefault(nearest, 0L);
        return "; " + others + (others == 1 ? " has " : " have ")
                + (nearest == 0 ? "no " + scarce : String.valueOf(nearest))
                + (levelNeedsName(item) && nearest > 0 ? " " + scarce : "");
    }

    private boolean levelNeedsName(Resource item) {
        return needs(item.with()).size() > 1;
    }

    /** How many usable hosts have each amount of a type. */
    private NavigableMap<Long, Long> levels(String type) {
        NavigableMap<Long, Long> levels = new TreeMap<>();
        long[] counts = fit.counts(fit.top());
        for (int k = 0; k < counts.length; k++) {
            if (counts[k] > 0) {
                levels.merge(amount(stock.cells().get(k).kind(), type), counts[k], Long::sum);
            }
        }
        return levels;
    }

    private static long amount(Kind kind, String type) {
        return kind.isPool(type) ? kind.units(type, "") : kind.vertices(type);
    }

    /** Units per host by type, of the pools that are asked without a unit. */
    private Map<String, Long> needs(List<Resource> list) {
        Map<String, Long> needs = new LinkedHashMap<>();
        needs(list, 1, needs);
        return needs;
    }

    private static void needs(List<Resource> list, long times, Map<String, Long> into) {
        for (Resource item : list) {
            long count = Fit.times(times, item.count().min());
            if (item.with().isEmpty() && item.unit() == null) {
                into.merge(item.type(), count, Long::sum);
            } else {
                needs(item.with(), count, into);
            }
        }
    }

    /** What would fit instead: fewer of the outermost. */
    private String remedy(Resource item, int have) {
        Resource outermost = request.resources().get(0);
        boolean direct = request.resources().size() == 1 && outermost.type().equals(Resource.NODE);
        return have > 0 && direct && have < item.count().min() ? "; it fits with node=" + have : "";
    }

    private String slots(Resource item, long need) {
        Fit most = fit.instances(item, fit.top(), need);
        long best = 0;
        for (Cell cell : stock.cells()) {
            if (!fit.usable(cell, fit.top()).isEmpty()) {
                best = Math.max(best, fit.inHost(item, cell.kind()).most());
            }
        }
        StringBuilder text = new StringBuilder(plural(need, "slot"));
        text.append(" of ").append(list(item.with(), "=")).append(" asked; ");
        if (best == 0) {
            return text.append("no node holds one").append(largest(item)).toString();
        }
        text.append(plural(most.most(), "slot"))
                .append(most.most() == 1 ? " fits" : " fit")
                .append(" at most, ");
        return text.append(best)
                .append(" on the largest node")
                .append(totals(item))
                .toString();
    }

    private String largest(Resource item) {
        List<String> most = new ArrayList<>();
        needs(item.with()).forEach((type, amount) -> {
            NavigableMap<Long, Long> levels = levels(type);
            if (!levels.isEmpty() && levels.lastKey() < amount) {
                most.add(levels.lastKey() + " " + type);
            }
        });
        return most.isEmpty() ? "" : "; the most on one is " + String.join(", ", most);
    }

    /** People compare totals, so say what is there in all and that slots do not cross nodes. */
    private String totals(Resource item) {
        List<String> totals = new ArrayList<>();
        for (String type : needs(item.with()).keySet()) {
            long total = 0;
            for (Map.Entry<Long, Long> level : levels(type).entrySet()) {
                total += Fit.times(level.getKey(), level.getValue());
            }
            totals.add(total + " " + type);
        }
        return totals.isEmpty() ? "" : " (" + String.join(", ", totals) + " in all, but a slot lies within one node)";
    }

    private String units(Resource item, long need) {
        Fit most = fit.instances(item, fit.top(), need);
        return need + " " + describe(item) + " asked; " + most.most() + (most.most() == 1 ? " is there" : " are there");
    }

    private String describe(Resource item) {
        String inner = list(item.with(), "=");
        return item.type() + (inner.isEmpty() ? "" : " of " + inner);
    }

    private String list(List<Resource> list, String sign) {
        List<String> parts = new ArrayList<>();
        for (Resource item : list) {
            String amount = item.count().min() + (item.unit() == null ? "" : String.valueOf(item.unit()));
            boolean one = item.count().equals(Count.ONE) && !item.with().isEmpty();
            String inner = item.with().isEmpty()
                    ? ""
                    : (one ? "" : amount + " ") + item.type() + " of " + list(item.with(), "=");
            parts.add(inner.isEmpty() ? item.type() + sign + amount : inner);
        }
        return String.join(" and ", parts);
    }

    /** Says what the constraint leaves, and which of its names nobody has. */
    private String constraint() {
        Constraint constraint = request.constraint();
        if (constraint.isAll()) {
            return "";
        }
        Idset matching = constraint.matches(r);
        StringBuilder text = new StringBuilder("; constraint ")
                .append(constraint.toJson())
                .append(" leaves ")
                .append(matching.size())
                .append(" of ")
                .append(r.nodes())
                .append(" nodes");
        AreaFit free = new AreaFit(stock, r.ranks());
        if (free.copies(request.resources(), free.top(), 1).least() > 0) {
            text.append("; without it the request fits");
        }
        for (String name : constraint.properties()) {
            if (!r.properties().containsKey(name)) {
                text.append("; no node has property \"")
                        .append(name)
                        .append('"')
                        .append(similar(name, r.properties().keySet()));
            }
        }
        return text.toString();
    }

    private static String similar(String name, Set<String> known) {
        String best = "";
        int least = Math.max(1, Math.min(2, name.length() / 2)) + 1;
        for (String candidate : known) {
            int distance = distance(name, candidate);
            if (distance < least) {
                least = distance;
                best = candidate;
            }
        }
        return best.isEmpty() ? "" : ", did you mean \"" + best + "\"?";
    }

    /** Levenshtein's. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above, row[j - 1]));
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
