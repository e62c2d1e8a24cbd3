package io.muster.inventory.state;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.Decision.Rejection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** From what people write to ranks, and from ranks to what people read. */
final class Targeting {
    private Targeting() {}

    /** What targets turned out to be: ranks, and hosts that R does not name any longer but of which something is known. */
    record Found(Idset ranks, Hostlist departed) {
        boolean isEmpty() {
            return ranks.isEmpty() && departed.isEmpty();
        }
    }

    /** Finds what {@code targets} name. */
    private interface Search {
        /**
         * @throws MalformedException if it is no text for targets
         * @throws TargetException if anything that it names is not there
         */
        Found find(String targets);
    }

    /**
     * Hands the ranks to {@code then}; text that names none, or any that is not there, is rejected whole.
     *
     * @param fault what is wrong with the rest of the command, or null
     */
    static Decision resolve(
            InventoryState state, String targets, @Nullable String fault, Function<Idset, Decision> then) {
        return resolve(
                text -> new Found(state.resources().targets(text), Hostlist.EMPTY),
                targets,
                fault,
                found -> then.apply(found.ranks));
    }

    /** The same for commands that take something back, which departed hosts may need as well. */
    static Decision resolveWithDeparted(
            InventoryState state, String targets, @Nullable String fault, Function<Found, Decision> then) {
        return resolve(text -> find(state, text), targets, fault, then);
    }

    private static Decision resolve(
            Search search, String targets, @Nullable String fault, Function<Found, Decision> then) {
        Found found;
        try {
            found = search.find(targets);
        } catch (TargetException e) {
            return Decision.reject(Rejection.Kind.INVALID, unknown(e));
        } catch (MalformedException e) {
            return Decision.reject(Rejection.Kind.INVALID, malformed(e));
        }
        if (found.isEmpty()) {
            return Decision.reject(Rejection.Kind.INVALID, "idset is empty");
        }
        return fault == null ? then.apply(found) : Decision.reject(Rejection.Kind.INVALID, fault);
    }

    private static Found find(InventoryState state, String targets) {
        try {
            return new Found(state.resources().targets(targets), Hostlist.EMPTY);
        } catch (TargetException e) {
            Hostlist departed = e.missingHosts();
            if (departed.isEmpty()
                    || !departed.stream().allMatch(host -> state.departed().containsKey(host))) {
                throw e;
            }
            Hostlist named = Hostlist.parse(targets);
            Idset gone = named.indexesOf(departed);
            Hostlist there = named.select(Idset.range(0, named.size() - 1).subtract(gone));
            return new Found(state.resources().ranksOf(there), departed);
        }
    }

    /** flux-core's sentences, and after a colon what they leave out. */
    private static String unknown(TargetException e) {
        return e.missingHosts().isEmpty()
                ? "idset is out of range: " + e.getMessage()
                : "invalid targets: invalid hosts: " + e.missingHosts();
    }

    private static String malformed(MalformedException e) {
        boolean hostlist = e.what().equals("hostlist");
        return "invalid targets: " + (hostlist ? "Hostlist cannot be decoded: " : "") + e.getMessage();
    }

    /** Host names first: people know those. */
    static String name(InventoryState state, Idset ranks) {
        return state.resources().hostsOf(ranks) + " (" + numbered(ranks) + ")";
    }

    /** What flux-core says of ranks, and after a colon which hosts those are. */
    static String say(InventoryState state, Idset ranks, String sentence) {
        return numbered(ranks) + " " + sentence + ": " + state.resources().hostsOf(ranks);
    }

    private static String numbered(Idset ranks) {
        return (ranks.size() == 1 ? "rank " : "ranks ") + ranks;
    }

    /** Why somebody who speaks for {@code whose} hold has no say over {@code ranks}; the first of them stands for all. */
    static String heldByOther(InventoryState state, Idset ranks, String whose) {
        return name(state, ranks) + heldByOther(state.holds().on(ranks.first()), whose);
    }

    /** The same of departed hosts. */
    static String heldByOther(InventoryState state, Hostlist departed, String whose) {
        Departed left = state.departed().get(departed.nth(0));
        return departed + " (departed)" + heldByOther(left == null ? null : left.holds(), whose);
    }

    private static String heldByOther(@Nullable HoldSet set, String whose) {
        Hold own = set == null ? null : set.of(whose);
        Hold hold = own == null && set != null ? set.oldest() : own;
        String held = hold == null ? "" : " held by " + hold.holder() + ", set by " + hold.by();
        String way = own == null ? ": name the holder, or force" : ": only its maker may change that without force";
        return held + way;
    }
}
