package io.muster.inventory.status;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Listing;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.Decision.Rejection.Kind;
import io.muster.inventory.state.Expected;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.Once;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Explains why a drain or undrain was refused, and why hosts stay out after a change: the hosts concerned and their holders. */
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

    /** Returns a refusal of a command, with hosts and holders if they are the reason. */
    public String explain(Command command, Decision.Rejection refusal) {
        Command plain = plain(command);
        String better = "";
        if (plain instanceof HoldChanges.Drain drain) {
            better = isAboutAbsent(command, refusal) ? absent() : "";
            better = better.isEmpty() && refusal.kind() == Kind.EXISTS ? drainedBy(drain.holder()) : better;
        } else if (plain instanceof HoldChanges.Undrain undrain) {
            String holder = undrain.holder() == null ? Hold.SHARED : undrain.holder();
            if (refusal.kind() == Kind.EXISTS) {
                better = notDrained();
            } else if (refusal.kind() == Kind.HELD_BY_OTHER) {
                better = heldOnlyByOthersThan(holder);
                better = better.isEmpty() ? heldByAnotherUser(holder) : better;
            }
        }
        return better.isEmpty() ? refusal.text() : better;
    }

    /** Returns whether a drain was refused because hosts are excluded or lost. */
    public boolean isAboutAbsent(Command command, Decision.Rejection refusal) {
        return plain(command) instanceof HoldChanges.Drain
                && (refusal.kind() == Kind.INVALID || refusal.kind() == Kind.EXISTS)
                && !absent().isEmpty();
    }

    /** Returns why targets of a change that was to bring them back are still out, one sentence for hosts that are alike. */
    public List<String> stillOut(Command command) {
        Command plain = plain(command);
        List<String> sentences = new ArrayList<>();
        if (plain instanceof HoldChanges.Undrain || plain instanceof MembershipChanges.Include) {
            state.holds().groups().forEach((holds, on) -> {
                Idset held = on.intersect(ranks);
                if (!held.isEmpty()) {
                    sentences.add(hosts(held, LONGEST) + (held.size() == 1 ? " stays" : " stay") + " drained: "
                            + String.join(
                                    "; ", holds.holds().stream().map(this::text).toList()));
                }
            });
        }
        return sentences;
    }

    private static Command plain(Command command) {
        Command plain = command instanceof Once once ? once.command() : command;
        return plain instanceof Expected expected ? expected.command() : plain;
    }

    /** Returns the targets on which {@code holder} has a hold, with all holds on them; "" if there are none any more. */
    private String drainedBy(String holder) {
        return withHolders(heldBy(holder), "already drained");
    }

    /** Returns the targets that cannot be drained because they are excluded or lost; "" if there are none. */
    private String absent() {
        Idset absent = ranks.subtract(state.members());
        Idset lost = absent.subtract(state.membership().excluded());
        String how = lost.isEmpty() ? "excluded" : lost.equals(absent) ? "lost (shrunk)" : "excluded or lost";
        return named(absent, (absent.size() == 1 ? "is " : "are ") + how);
    }

    private String notDrained() {
        return named(ranks.subtract(state.holds().held()), "not drained");
    }

    /** Returns the targets that only other holders than {@code holder} hold; "" if there are none. */
    private String heldOnlyByOthersThan(String holder) {
        return withHolders(
                ranks.intersect(state.holds().held()).subtract(heldBy(holder)),
                "not drained by holder " + holder + ", but by others");
    }

    /** Returns the targets on which another user has placed the hold of {@code holder}. */
    private String heldByAnotherUser(String holder) {
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
