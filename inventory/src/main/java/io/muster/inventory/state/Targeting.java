package io.muster.inventory.state;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.Decision.Rejection;
import java.util.function.Function;

/** From what people write to ranks, and from ranks to what people read. */
final class Targeting {
    private Targeting() {}

    /** Hands the ranks to {@code then}; text that names none, or any that is not there, is rejected whole. */
    static Decision resolve(InventoryState state, String targets, Function<Idset, Decision> then) {
        Idset ranks;
        try {
            ranks = state.resources().targets(targets);
        } catch (TargetException e) {
            return Decision.reject(Rejection.Kind.INVALID, unknown(e));
        } catch (MalformedException e) {
            return Decision.reject(Rejection.Kind.INVALID, malformed(e));
        }
        return ranks.isEmpty() ? Decision.reject(Rejection.Kind.INVALID, "idset is empty") : then.apply(ranks);
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
        HoldSet set = state.holds().on(ranks.first());
        Hold own = set == null ? null : set.of(whose);
        Hold hold = own == null && set != null ? set.oldest() : own;
        String held = hold == null ? "" : " held by " + hold.holder() + ", set by " + hold.by();
        String way = own == null ? ": name the holder, or force" : ": only its maker may change that without force";
        return name(state, ranks) + held + way;
    }
}
