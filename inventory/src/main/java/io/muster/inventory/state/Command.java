package io.muster.inventory.state;

import io.muster.inventory.axis.Principal;
import org.jspecify.annotations.Nullable;

/**
 * A request to change the inventory. {@link #decide} returns the events that the command leads to, or a rejection; a command is
 * carried out as a whole or not at all. Targets are text (an idset or a hostlist), because only the current state contains the
 * existing hosts. Each axis has one file, with its commands and the events that they lead to.
 */
public sealed interface Command
        permits HoldChanges.Drain,
                HoldChanges.Undrain,
                PlanChanges.MeetDeadlines,
                MembershipChanges.Exclude,
                MembershipChanges.ExcludeByConfig,
                MembershipChanges.Shrink,
                MembershipChanges.Include,
                LivenessChanges.SetLiveness,
                LivenessChanges.ForceDown,
                DefinitionChanges.Define,
                DefinitionChanges.SetExpiration,
                DefinitionChanges.ChangeProperties,
                DefinitionChanges.Restart,
                FormatChanges.FinishUpgrade,
                AcquisitionChanges.Claim,
                AcquisitionChanges.Release,
                CheckChanges.ReportCheck,
                CheckChanges.ReportBoot,
                WorkChanges.ClaimWork,
                WorkChanges.ReportWork,
                ReportChanges.Register,
                ReportChanges.Lapse,
                NoteChanges.Annotate,
                AuditChanges.RecordAudit,
                AlertChanges.Fire,
                AlertChanges.Resolve,
                Braked,
                Policy.Place,
                Expected,
                Command.Confirm,
                Once,
                Once.Repetition {
    Decision decide(InventoryState state, double now, Principal by);

    /** Returns whether a decision may take so long that the core thread must not make it. */
    default boolean takesLong() {
        return false;
    }

    /** The id that its sender gave to the command, or null. */
    default @Nullable ChangeId id() {
        return null;
    }

    /** Changes nothing. Its answer confirms that the state is the newest one, even if other daemons write to the ledger. */
    record Confirm() implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Decision.accept();
        }
    }
}
