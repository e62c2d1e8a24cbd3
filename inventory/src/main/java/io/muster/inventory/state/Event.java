package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A change of the inventory in the form in which it is journaled. Names and context keys are those of RFC 44; only {@code
 * exclude, include, shrink, property-add, property-remove, upgrade, acquire, release, report, lapse, annotate, plan, unplan, boot,
 * attempt, overrun} and {@code audit} are not in the RFC. Applying an event never fails, because the command that led to the event has
 * checked all its conditions. Each
 * axis has one file, with its events and the commands that lead to them.
 */
public sealed interface Event
        permits Event.Targeted,
                DefinitionChanges.Defined,
                DefinitionChanges.ExpirationChanged,
                DefinitionChanges.PropertiesChanged,
                DefinitionChanges.Restarted,
                FormatChanges.Upgraded,
                AcquisitionChanges.Acquired,
                AcquisitionChanges.Released {
    String name();

    /** Writes the members of the context into the current JSON object. */
    void writeContext(JsonGenerator out) throws IOException;

    /** Writes the context without members that may be as long as R. */
    default void writeSummary(JsonGenerator out) throws IOException {
        writeContext(out);
    }

    InventoryState applyTo(InventoryState state, double time, Principal by);

    /**
     * Returns why this event cannot have happened to {@code state}, or null. An event that a command led to can always have
     * happened; the check is for events that are read from a journal.
     */
    @Nullable
    String faultIn(InventoryState state);

    /** An event that has targets. */
    sealed interface Targeted extends Event
            permits HoldChanges.Drained,
                    HoldChanges.Undrained,
                    PlanChanges.Planned,
                    PlanChanges.Unplanned,
                    PlanChanges.Overran,
                    MembershipChanges.Excluded,
                    MembershipChanges.Included,
                    LivenessChanges.LivenessChanged,
                    CheckChanges.Booted,
                    WorkChanges.Worked,
                    ReportChanges.Reported,
                    ReportChanges.Lapsed,
                    NoteChanges.Annotated,
                    AuditChanges.AuditRecorded {
        Targets targets();

        @Override
        default @Nullable String faultIn(InventoryState state) {
            return targets().faultIn(state);
        }
    }

    /**
     * The ranks that an event is about, with the names of their hosts, as in every event of RFC 44.
     *
     * @param nodelist the hosts of {@code ranks}, followed by {@code departed}
     * @param departed hosts that R does not name and of which the event removes a setting
     */
    record Targets(Idset ranks, String nodelist, Hostlist departed) {
        public Targets(Idset ranks, String nodelist) {
            this(ranks, nodelist, Hostlist.EMPTY);
        }

        static Targets of(InventoryState state, Idset ranks) {
            return of(state, ranks, Hostlist.EMPTY);
        }

        static Targets of(InventoryState state, Idset ranks, Hostlist departed) {
            Hostlist hosts = state.resources().hostsOf(ranks).append(departed);
            return new Targets(ranks, hosts.toString(), departed);
        }

        boolean isEmpty() {
            return ranks.isEmpty() && departed.isEmpty();
        }

        @Nullable
        String faultIn(InventoryState state) {
            boolean known = departed.stream().allMatch(host -> state.departed().containsKey(host));
            return known ? strangers(state, ranks) : "names a departed host that is not remembered: " + departed;
        }

        static @Nullable String strangers(InventoryState state, Idset ranks) {
            Idset known = state.resources().ranks();
            return known.containsAll(ranks) ? null : "names " + ranks.subtract(known) + ", which R does not have";
        }

        void write(JsonGenerator out) throws IOException {
            out.writeStringField("idset", ranks.toString());
            out.writeStringField("nodelist", nodelist);
            if (!departed.isEmpty()) {
                out.writeStringField("departed", departed.toString());
            }
        }
    }
}
