package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands that exclude, remove and include ranks, and the events that they lead to. */
public final class MembershipChanges {
    private MembershipChanges() {}

    /** Returns whether schedulers that are sent a change do not take it back: they drop hosts that were shrunk from their plans. */
    public static boolean isForGood(Command command) {
        return command instanceof Shrink || (command instanceof Once once && isForGood(once.command()));
    }

    public record Exclude(String targets, @Nullable String reason) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolve(state, targets, Wording.fault("reason", reason), ranks -> {
                Idset fresh = ranks.subtract(state.membership().ranks(Membership.Kind.ADMIN));
                Targets.bounded(Targets.bounded(fresh).intersect(state.holds().held()));
                return fresh.isEmpty()
                        ? Decision.accept()
                        : new Decision(exclude(state, fresh, Membership.Kind.ADMIN, reason), null);
            });
        }
    }

    /**
     * The command that sets the ranks that the configuration excludes; ranks that it no longer excludes come back. The
     * exclusion applies to hosts, whose ranks may differ from {@code configured} because an admin may have loaded another R.
     *
     * @param configured R of the configuration
     * @param ranks ranks excluded in {@code configured}
     */
    public record ExcludeByConfig(ResourceSet configured, Idset ranks) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            Idset current = state.membership().ranks(Membership.Kind.CONFIG);
            Idset wanted = Remap.between(configured, state.resources()).translate(ranks);
            List<Event> events = new ArrayList<>();
            Idset included = current.subtract(wanted);
            Idset excluded = wanted.subtract(current);
            if (!included.isEmpty()) {
                events.add(new Included(
                        Event.Targets.of(state, included), Membership.Kind.CONFIG, "no longer in resource.exclude"));
            }
            if (!excluded.isEmpty()) {
                events.addAll(exclude(state, excluded, Membership.Kind.CONFIG, "resource.exclude"));
            }
            return new Decision(events, null);
        }
    }

    /**
     * The command that removes ranks from the instance for good (RFC 28 {@code shrink}). At least one member stays, because
     * schedulers hang if they have none.
     */
    public record Shrink(String targets, @Nullable String reason) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolve(state, targets, Wording.fault("reason", reason), ranks -> {
                Idset leaving = ranks.subtract(state.membership().lost());
                if (leaving.isEmpty()) {
                    return Decision.accept();
                }
                Idset members = state.members();
                if (!members.isEmpty() && leaving.containsAll(members)) {
                    return Decision.reject(
                            INVALID,
                            Targets.name(state, leaving)
                                    + " would leave no rank on offer: drain instead, or stop the daemon");
                }
                return Decision.accept(new Excluded(Targets.event(state, leaving), Membership.Kind.LOST, reason));
            });
        }
    }

    /**
     * Returns the events that exclude ranks. The shared hold ends, as in flux-core, where no rank is both excluded and drained.
     * Named holds stay, because each of them belongs to a user who still has a reason to keep the host.
     */
    private static List<Event> exclude(
            InventoryState state, Idset ranks, Membership.Kind kind, @Nullable String reason) {
        List<Event> events = new ArrayList<>();
        Idset ending = state.holds().matching(ranks, Hold.SHARED, hold -> hold != null);
        if (!ending.isEmpty()) {
            events.add(new HoldChanges.Undrained(
                    Event.Targets.of(state, ending), "excluded", HoldChanges.Overwrite.NOTHING, Hold.SHARED));
        }
        events.add(new Excluded(Event.Targets.of(state, ranks), kind, reason));
        return events;
    }

    /** The event that ranks are no longer offered to schedulers. It ends no hold. */
    public record Excluded(
            Event.Targets targets,
            Membership.Kind kind,
            @Nullable String reason,
            Extras extras) implements Event.Targeted {
        public Excluded(Event.Targets targets, Membership.Kind kind, @Nullable String reason) {
            this(targets, kind, reason, Extras.NONE);
        }

        @Override
        public String name() {
            return kind == Membership.Kind.LOST ? "shrink" : "exclude";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeMembership(out, targets, kind, reason);
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Membership.Absence absence = new Membership.Absence(kind, reason, time, by, extras);
            return state.withMembership(m -> m.leave(targets.ranks(), absence));
        }
    }

    /**
     * The command that undoes exclusions by admins and losses, for departed hosts too. Admins cannot include ranks that the
     * configuration excludes.
     */
    public record Include(String targets, @Nullable String reason) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolveWithDeparted(state, targets, Wording.fault("reason", reason), found -> {
                Idset ranks = found.ranks();
                Idset configured = ranks.intersect(state.membership().ranks(Membership.Kind.CONFIG));
                if (!configured.isEmpty()) {
                    return Decision.reject(
                            INVALID,
                            Targets.name(state, configured)
                                    + " excluded by the configuration: change resource.exclude there and reload it");
                }
                Hostlist absentHosts = state.departed(
                        found.departed(), departed -> !departed.absences().isEmpty());
                Event.Targets included = Targets.event(state, state.membership().absent(ranks), absentHosts);
                return included.isEmpty()
                        ? Decision.accept()
                        : Decision.accept(new Included(included, Membership.Kind.ADMIN, reason));
            });
        }
    }

    /**
     * The event that ranks are offered again, to the next scheduler that acquires.
     *
     * @param kind author of the change: the configuration ends its own exclusions, an admin ends all other absences
     */
    public record Included(
            Event.Targets targets,
            Membership.Kind kind,
            @Nullable String reason) implements Event.Targeted {
        @Override
        public String name() {
            return "include";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            writeMembership(out, targets, kind, reason);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withMembership(m -> kind == Membership.Kind.CONFIG
                            ? m.rejoin(targets.ranks(), kind)
                            : m.rejoin(targets.ranks(), Membership.Kind.ADMIN)
                                    .rejoin(targets.ranks(), Membership.Kind.LOST))
                    .withDeparted(targets.departed(), Departed::included);
        }
    }

    private static void writeMembership(
            JsonGenerator out, Event.Targets targets, Membership.Kind kind, @Nullable String reason)
            throws IOException {
        targets.write(out);
        out.writeStringField("kind", kind.word());
        Fields.writeOptional(out, "reason", reason);
    }
}
