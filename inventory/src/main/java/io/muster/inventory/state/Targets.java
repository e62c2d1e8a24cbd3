package io.muster.inventory.state;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Holds;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.hostlist.Listing;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.Decision.Rejection;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the ranks for the targets that a request names, and formats ranks for messages to people. Targets are the text of an
 * idset or a hostlist.
 */
final class Targets {
    /**
     * The highest number of separate ranges of ranks that one request may change or be refused for. The work of a change grows
     * with this number and not with the number of ranks, so the limit keeps the core thread free for other requests.
     */
    static final int MOST_RANGES = 1 << 14;

    /** The name of the things that {@link #bound} usually counts. */
    static final String RANGES = "separate ranges of ranks";

    /** The number of characters of a list in a sentence. */
    private static final int LONGEST = 1000;

    private Targets() {}

    /** Thrown to end a decision about more separate ranges of ranks, or more departed hosts, than one request may concern. */
    private static final class ScatteredException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ScatteredException(int count, String things) {
            super("the request concerns " + count + " " + things + ", but one request may concern at most "
                    + MOST_RANGES + ": name fewer targets in each request");
        }
    }

    /** The result of a search for targets: ranks, and hosts that R no longer names but of which the state keeps data. */
    record Found(Idset ranks, Hostlist departed) {
        boolean isEmpty() {
            return ranks.isEmpty() && departed.isEmpty();
        }
    }

    /** A way to find targets. */
    private interface Search {
        /**
         * Returns the ranks and hosts that {@code targets} names.
         *
         * @throws MalformedException if the text is not in the form of targets
         * @throws TargetException if a rank or host that the text names does not exist
         */
        Found find(String targets);
    }

    /**
     * Finds the ranks that {@code targets} names and returns the decision of {@code then} about them. A text that names
     * nothing, or names a rank or host that does not exist, is rejected as a whole.
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

    /** Finds targets for a command that reverses an earlier change. Such a command may name departed hosts too. */
    static Decision resolveWithDeparted(
            InventoryState state, String targets, @Nullable String fault, Function<Found, Decision> then) {
        return resolve(text -> find(state, text), targets, fault, then);
    }

    private static Decision resolve(
            Search search, String targets, @Nullable String fault, Function<Found, Decision> then) {
        return bounded(() -> {
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
        });
    }

    /** Makes a decision, and rejects the command if it concerns more targets than one request may concern. */
    static Decision bounded(Supplier<Decision> decision) {
        try {
            return decision.get();
        } catch (ScatteredException e) {
            return Decision.reject(Rejection.Kind.INVALID, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns {@code ranks}, or ends the decision if they have too many ranges. May be called only inside of {@link
     * #bounded(Supplier)}.
     */
    static Idset bounded(Idset ranks) {
        bound(ranks.rangeCount(), RANGES);
        return ranks;
    }

    /**
     * Ends the decision if a request concerns more things than one request may concern.
     *
     * @param things the name of what is counted
     */
    static void bound(int count, String things) {
        if (count > MOST_RANGES) {
            throw new ScatteredException(count, things);
        }
    }

    /** Returns the targets of an event, and ends the decision if they are too many, as {@link #bounded(Idset)} does. */
    static Event.Targets event(InventoryState state, Idset ranks, Hostlist departed) {
        return Event.Targets.of(state, bounded(ranks), departed);
    }

    static Event.Targets event(InventoryState state, Idset ranks) {
        return event(state, ranks, Hostlist.EMPTY);
    }

    private static Found find(InventoryState state, String targets) {
        try {
            return new Found(state.resources().targets(targets), Hostlist.EMPTY);
        } catch (TargetException e) {
            Hostlist departed = e.missingHosts();
            if (departed.size() > MOST_RANGES
                    && departed.size() <= state.departed().size()) {
                throw new ScatteredException(departed.size(), "departed hosts");
            }
            if (departed.isEmpty()
                    || !departed.stream().allMatch(host -> state.departed().containsKey(host))) {
                throw e;
            }
            Hostlist named = Hostlist.parse(targets);
            Idset departedIndexes = named.indexesOf(departed);
            Hostlist present = named.select(Idset.range(0, named.size() - 1).subtract(departedIndexes));
            return new Found(state.resources().ranksOf(present), departed);
        }
    }

    /** Returns flux-core's sentence and, after a colon, the detail that flux-core omits. */
    private static String unknown(TargetException e) {
        return e.missingHosts().isEmpty()
                ? "idset is out of range: " + e.getMessage()
                : "invalid targets: invalid hosts: " + e.missingHosts();
    }

    private static String malformed(MalformedException e) {
        boolean hostlist = e.what().equals("hostlist");
        return "invalid targets: " + (hostlist ? "Hostlist cannot be decoded: " : "") + e.getMessage();
    }

    /** Returns the names of hosts, followed by their ranks in parentheses. Names come first because people know hosts by name. */
    static String name(InventoryState state, Idset ranks) {
        return hosts(state, bounded(ranks)) + " (" + numbered(ranks) + ")";
    }

    /** Returns flux-core's sentence about ranks and, after a colon, their hosts. */
    static String say(InventoryState state, Idset ranks, String sentence) {
        return numbered(bounded(ranks)) + " " + sentence + ": " + hosts(state, ranks);
    }

    private static String hosts(InventoryState state, Idset ranks) {
        return Listing.HOSTS.cut(state.resources().hostsOf(ranks).toString(), LONGEST);
    }

    private static String numbered(Idset ranks) {
        return (ranks.size() == 1 ? "rank " : "ranks ") + Listing.RANKS.cut(ranks.toString(), LONGEST);
    }

    /**
     * Returns the sentence that {@code holder} may not change the holds on {@code ranks}. The sentence names the author of
     * the hold on the first rank only.
     */
    static String heldByOther(InventoryState state, Holds holds, Idset ranks, String holder) {
        return name(state, ranks) + heldByOther(holds.on(ranks.first()), holder);
    }

    /**
     * Returns the sentence that {@code holder} may not change the holds on departed hosts.
     *
     * @param first the holds of the first host
     */
    static String heldByOther(Hostlist departed, @Nullable HoldSet first, String holder) {
        return departed + " (departed)" + heldByOther(first, holder);
    }

    private static String heldByOther(@Nullable HoldSet set, String holder) {
        Hold own = set == null ? null : set.of(holder);
        Hold hold = own == null && set != null ? set.oldest() : own;
        String held = hold == null ? "" : " held by " + hold.holder() + ", set by " + hold.by();
        String way = own == null ? ": name the holder" : ": only the user who set it may change it without force";
        return held + way;
    }
}
