package io.muster.inventory.status;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Listing;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Explains why a drain or undrain was refused: the hosts concerned and their holders. The daemon's response has only an error
 * number for this, so the command-line tool builds the explanation.
 */
public final class Conflict {
    private static final int MOST = 5;
    /** The number of characters of a list of hosts or ranks. */
    private static final int LONGEST = 200;
    /** The same for the list of hosts of one hold, most of which the sentence has named already. */
    private static final int SHORT = 60;

    private final InventoryState state;
    private final Idset ranks;
    private final double now;

    /** @param ranks targets that are in R; for a departed host, only the daemon's own sentence is shown */
    public Conflict(InventoryState state, Idset ranks, double now) {
        this.state = state;
        this.ranks = ranks;
        this.now = now;
    }

    /** Returns the targets on which {@code holder} has a hold, with all holds on them; "" if there are none any more. */
    public String drainedBy(String holder) {
        return withHolders(heldBy(holder), "already drained");
    }

    /** Returns the targets that cannot be drained because they are excluded or lost; "" if there are none. */
    public String absent() {
        Idset absent = ranks.subtract(state.members());
        Idset lost = absent.subtract(state.membership().excluded());
        String how = lost.isEmpty() ? "excluded" : lost.equals(absent) ? "lost (shrunk)" : "excluded or lost";
        return named(absent, (absent.size() == 1 ? "is " : "are ") + how);
    }

    public String notDrained() {
        return named(ranks.subtract(state.holds().held()), "not drained");
    }

    /** Returns the targets that only other holders than {@code holder} hold; "" if there are none. */
    public String heldOnlyByOthersThan(String holder) {
        return withHolders(
                ranks.intersect(state.holds().held()).subtract(heldBy(holder)),
                "not drained by holder " + holder + ", but by others");
    }

    /** Returns the targets on which another user has placed the hold of {@code holder}. */
    public String heldByAnotherUser(String holder) {
        return withHolders(heldBy(holder), "held by another user");
    }

    private Idset heldBy(String holder) {
        Idset held = Idset.EMPTY;
        for (Map.Entry<HoldSet, Idset> group : state.holds().groups().entrySet()) {
            if (group.getKey().of(holder) != null) {
                held = held.union(group.getValue());
            }
        }
        return held.intersect(ranks);
    }

    private String named(Idset subset, String predicate) {
        return subset.isEmpty()
                ? ""
                : hosts(subset, LONGEST) + (subset.size() == 1 ? " (rank " : " (ranks ")
                        + Listing.RANKS.cut(subset.toString(), LONGEST) + ") " + predicate;
    }

    private String withHolders(Idset subset, String predicate) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<HoldSet, Idset> group : state.holds().groups().entrySet()) {
            Idset matching = group.getValue().intersect(subset);
            for (Hold hold :
                    matching.isEmpty() ? List.<Hold>of() : group.getKey().holds()) {
                lines.add(hosts(matching, SHORT) + ": " + text(hold));
            }
        }
        int omitted = lines.size() - MOST;
        String shown = String.join("; ", omitted > 0 ? lines.subList(0, MOST) : lines);
        return named(subset, predicate)
                + (shown.isEmpty() ? "" : " - " + shown)
                + (omitted > 0 ? "; and " + omitted + " more" : "");
    }

    private String hosts(Idset some, int columns) {
        return Listing.HOSTS.cut(state.resources().hostsOf(some).toString(), columns);
    }

    private String text(Hold hold) {
        String reason = hold.reason() == null || hold.reason().isEmpty() ? "no reason given" : hold.reason();
        String author = hold.by().user().isEmpty() ? "" : "by " + hold.by() + " ";
        return reason + " (" + hold.holder() + ", " + author + Times.age(hold.since(), now) + " ago)";
    }
}
