package io.muster.cli.ask;

import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Times;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Explains why a drain or undrain was refused: which hosts are concerned, and who holds them. The daemon's error number does not say this.
 */
public final class Conflict {
    private static final int MOST = 5;

    private final Overview standing;
    private final Idset ranks;
    private final double now;

    /** @param targets targets that the daemon has just parsed */
    public Conflict(Overview standing, String targets, double now) {
        this.standing = standing;
        this.ranks = present(standing, targets);
        this.now = now;
    }

    /**
     * The targets that are in R. The daemon accepted the targets, so hosts that R lacks have departed, and for these only the daemon's own
     * sentence is shown.
     */
    private static Idset present(Overview standing, String targets) {
        try {
            return TargetNames.find(standing.resources(), targets);
        } catch (Failure departed) {
            return Idset.EMPTY;
        }
    }

    /** The targets with a hold of this holder, and all their holds; "" if there are none any more. */
    public String drainedBy(String holder) {
        return told(held(holder), "already drained");
    }

    /** The targets that cannot be drained because they are excluded; "" for none. */
    public String excluded() {
        Idset excluded = ranks.subtract(standing.state().members());
        return named(excluded, excluded.size() == 1 ? "is excluded" : "are excluded");
    }

    public String notDrained() {
        return named(ranks.subtract(standing.state().holds().held()), "not drained");
    }

    public String heldByOthersThan(String holder) {
        Idset others = ranks.intersect(standing.state().holds().held()).subtract(held(holder));
        return told(others.isEmpty() ? held(holder) : others, "held by somebody else");
    }

    private Idset held(String holder) {
        Idset held = Idset.EMPTY;
        for (Map.Entry<HoldSet, Idset> group : standing.state().holds().groups().entrySet()) {
            if (group.getKey().of(holder) != null) {
                held = held.union(group.getValue());
            }
        }
        return held.intersect(ranks);
    }

    private String named(Idset subset, String what) {
        ResourceSet resources = standing.resources();
        return subset.isEmpty()
                ? ""
                : resources.hostsOf(subset) + (subset.size() == 1 ? " (rank " : " (ranks ") + subset + ") " + what;
    }

    private String told(Idset subset, String what) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<HoldSet, Idset> group : standing.state().holds().groups().entrySet()) {
            Idset matching = group.getValue().intersect(subset);
            for (Hold hold :
                    matching.isEmpty() ? List.<Hold>of() : group.getKey().holds()) {
                lines.add(standing.resources().hostsOf(matching) + ": " + text(hold));
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
