package io.muster.inventory.status;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Explains why a drain or undrain was refused: which hosts are concerned, and who holds them. The daemon's response has only
 * an error number for this, so the command-line tool builds the explanation.
 */
public final class Conflict {
    private static final int MOST = 5;

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

    /** Returns the targets that cannot be drained because they are excluded; "" if there are none. */
    public String excluded() {
        Idset excluded = ranks.subtract(state.members());
        return named(excluded, excluded.size() == 1 ? "is excluded" : "are excluded");
    }

    public String notDrained() {
        return named(ranks.subtract(state.holds().held()), "not drained");
    }

    public String heldByOthersThan(String holder) {
        Idset heldByOthers = ranks.intersect(state.holds().held()).subtract(heldBy(holder));
        return withHolders(heldByOthers.isEmpty() ? heldBy(holder) : heldByOthers, "held by another user");
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
        ResourceSet resources = state.resources();
        return subset.isEmpty()
                ? ""
                : resources.hostsOf(subset) + (subset.size() == 1 ? " (rank " : " (ranks ") + subset + ") " + predicate;
    }

    private String withHolders(Idset subset, String predicate) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<HoldSet, Idset> group : state.holds().groups().entrySet()) {
            Idset matching = group.getValue().intersect(subset);
            for (Hold hold :
                    matching.isEmpty() ? List.<Hold>of() : group.getKey().holds()) {
                lines.add(state.resources().hostsOf(matching) + ": " + text(hold));
            }
        }
        int omitted = lines.size() - MOST;
        String shown = String.join("; ", omitted > 0 ? lines.subList(0, MOST) : lines);
        return named(subset, predicate)
                + (shown.isEmpty() ? "" : " - " + shown)
                + (omitted > 0 ? "; and " + omitted + " more" : "");
    }

    private String text(Hold hold) {
        String reason = hold.reason() == null ? "no reason given" : hold.reason();
        String author = hold.by().user().isEmpty() ? "" : "by " + hold.by() + " ";
        return reason + " (" + hold.holder() + ", " + author + Times.age(hold.since(), now) + " ago)";
    }
}
