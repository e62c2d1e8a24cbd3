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
 * Explains why a drain or undrain was refused: which hosts are concerned, and who holds them. The daemon's error number does not say this.
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

    /** The targets with a hold of this holder, and all their holds; "" if there are none any more. */
    public String drainedBy(String holder) {
        return told(held(holder), "already drained");
    }

    /** The targets that cannot be drained because they are excluded; "" for none. */
    public String excluded() {
        Idset excluded = ranks.subtract(state.members());
        return named(excluded, excluded.size() == 1 ? "is excluded" : "are excluded");
    }

    public String notDrained() {
        return named(ranks.subtract(state.holds().held()), "not drained");
    }

    public String heldByOthersThan(String holder) {
        Idset others = ranks.intersect(state.holds().held()).subtract(held(holder));
        return told(others.isEmpty() ? held(holder) : others, "held by somebody else");
    }

    private Idset held(String holder) {
        Idset held = Idset.EMPTY;
        for (Map.Entry<HoldSet, Idset> group : state.holds().groups().entrySet()) {
            if (group.getKey().of(holder) != null) {
                held = held.union(group.getValue());
            }
        }
        return held.intersect(ranks);
    }

    private String named(Idset subset, String what) {
        ResourceSet resources = state.resources();
        return subset.isEmpty()
                ? ""
                : resources.hostsOf(subset) + (subset.size() == 1 ? " (rank " : " (ranks ") + subset + ") " + what;
    }

    private String told(Idset subset, String what) {
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
        return named(subset, what)
                + (shown.isEmpty() ? "" : " - " + shown)
                + (omitted > 0 ? "; and " + omitted + " more" : "");
    }

    private String text(Hold hold) {
        String reason = hold.reason() == null ? "no reason given" : hold.reason();
        String who = hold.by().user().isEmpty() ? "" : "by " + hold.by() + " ";
        return reason + " (" + hold.holder() + ", " + who + Times.age(hold.since(), now) + " ago)";
    }
}
