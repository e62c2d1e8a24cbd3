package io.muster.inventory.status;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Standing;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
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
import java.util.function.Predicate;

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

    /** Returns a refusal of a command by a user, with the hosts and only those holds that are the reason. */
    public String explain(Command command, Decision.Rejection refusal, Principal by) {
        Command plain = plain(command);
        String better = "";
        if (plain instanceof HoldChanges.Drain drain && drain.from() == 0) {
            better = isAboutAbsent(command, refusal) ? absent() : "";
            better = better.isEmpty() && refusal.kind() == Kind.EXISTS ? drainedBy(drain.holder()) : better;
            better = refusal.kind() == Kind.HELD_BY_OTHER ? heldByAnotherUser(drain.holder(), by) : better;
        } else if (plain instanceof HoldChanges.Undrain undrain && !undrain.planned()) {
            String holder = undrain.holder() == null ? Hold.SHARED : undrain.holder();
            if (refusal.kind() == Kind.EXISTS) {
                better = notDrained();
            } else if (refusal.kind() == Kind.HELD_BY_OTHER) {
                better = heldOnlyByOthersThan(holder);
                better = better.isEmpty() ? heldByAnotherUser(holder, by) : better;
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
        if (lifts(plain) || plain instanceof MembershipChanges.Include) {
            for (StateGroup group : StateGroup.of(state, Idset.EMPTY, ranks)) {
                if (!group.up()) {
                    String why = why(group);
                    sentences.add(hosts(group.ranks(), LONGEST)
                            + (group.ranks().size() == 1 ? " stays " : " stay ")
                            + group.word()
                            + (why.isEmpty() ? "" : ": " + why));
                }
            }
        }
        return sentences;
    }

    /** Returns who has claimed work that this state does not have any more, one sentence for hosts that are alike. */
    public List<String> claimsEnded(InventoryState before) {
        List<String> sentences = new ArrayList<>();
        for (Map.Entry<HoldSet, Idset> group : before.holds().groups(ranks).entrySet()) {
            for (Hold hold : group.getKey().holds()) {
                Standing claim = hold.standing();
                if (claim == null || claim.step() != Standing.Step.CLAIMED) {
                    continue;
                }
                Idset ended = state.holds()
                        .matching(
                                group.getValue(),
                                hold.holder(),
                                left -> left == null || left.attempt() != hold.attempt());
                if (!ended.isEmpty()) {
                    sentences.add(claim.by().names() + " claimed the action "
                            + hold.purpose().action() + " on " + hosts(ended, LONGEST) + " "
                            + Times.age(claim.since(), now)
                            + " ago and may be working there: the claim ends with attempt "
                            + hold.attempt());
                }
            }
        }
        return sentences;
    }

    /** Returns those of the hosts that an undrain changed which schedulers may use now; "" after another change. */
    public String available(Command command, Hostlist changed) {
        Idset up =
                state.resources().ranksOfKnown(changed).intersect(state.view().up());
        return lifts(plain(command)) ? state.resources().hostsOf(up).toString() : "";
    }

    private String why(StateGroup group) {
        HoldSet holds = group.holds();
        Membership.Absence absence = group.absence();
        if (holds != null) {
            return String.join("; ", holds.holds().stream().map(this::text).toList());
        }
        String by = absence == null ? "" : absence.by().names() + ", ";
        String since = group.since() == 0 ? "" : " (" + by + Times.age(group.since(), now) + ")";
        return (group.reason() + since).strip();
    }

    /** Returns whether a command ends holds that have begun. */
    private static boolean lifts(Command plain) {
        return plain instanceof HoldChanges.Undrain undrain && !undrain.planned();
    }

    private static Command plain(Command command) {
        Command plain = command instanceof Once once ? once.command() : command;
        return plain instanceof Expected expected ? expected.command() : plain;
    }

    /** Returns the targets on which {@code holder} has a hold, with all holds on them; "" if there are none any more. */
    private String drainedBy(String holder) {
        return withHolders(
                heldBy(holder), "already drained", hold -> hold.holder().equals(holder));
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
                "not drained by holder " + holder + ", but by others",
                hold -> true);
    }

    /** Returns the targets on which another user has placed the hold of {@code holder}. */
    private String heldByAnotherUser(String holder, Principal by) {
        Predicate<Hold> isInTheWay = hold -> hold.holder().equals(holder) && !hold.mayBeChangedBy(by);
        return withHolders(held(isInTheWay), "held by another user", isInTheWay);
    }

    private Idset heldBy(String holder) {
        return held(hold -> hold.holder().equals(holder));
    }

    private Idset held(Predicate<Hold> chosen) {
        Idset held = Idset.EMPTY;
        for (Map.Entry<HoldSet, Idset> group : state.holds().groups().entrySet()) {
            if (group.getKey().holds().stream().anyMatch(chosen)) {
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

    /** @param named the holds that are named */
    private String withHolders(Idset subset, String predicate, Predicate<Hold> named) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<HoldSet, Idset> group : state.holds().groups().entrySet()) {
            Idset matching = group.getValue().intersect(subset);
            String on = matching.equals(subset) ? "" : hosts(matching, SHORT) + ": ";
            for (Hold hold :
                    matching.isEmpty() ? List.<Hold>of() : group.getKey().holds()) {
                if (named.test(hold)) {
                    lines.add(on + text(hold));
                }
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
        String author = hold.by().user().isEmpty() ? "" : hold.by().names() + ", ";
        return hold.holder() + ": " + reason + " (" + author + Times.age(hold.since(), now) + ")";
    }
}
