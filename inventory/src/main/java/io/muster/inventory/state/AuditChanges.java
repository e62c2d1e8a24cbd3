package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import java.io.IOException;

/** The command that records the result of an audit, and the event that it leads to. The inventory itself stays as it is. */
public final class AuditChanges {
    private AuditChanges() {}

    /**
     * Records that other hosts than before differ in what a scheduler believes.
     *
     * @param scheduler the owner of the acquisition
     * @param ranks the ranks that differ now; none if the scheduler believes what it was sent
     * @param differences in which respects they differ; "" if there are none
     */
    public record RecordAudit(String scheduler, Idset ranks, String differences) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            Idset present = ranks.intersect(state.resources().ranks());
            return Targets.bounded(() -> Decision.accept(
                    new AuditRecorded(scheduler, Targets.event(state, present), differences, Extras.NONE)));
        }
    }

    /**
     * The event that an audit has found other differences than the one before, or none any more.
     *
     * @param extras members that another version wrote and this version does not know
     */
    public record AuditRecorded(String scheduler, Event.Targets targets, String differences, Extras extras)
            implements Event.Targeted {
        @Override
        public String name() {
            return "audit";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            out.writeStringField("scheduler", scheduler);
            out.writeStringField("differences", differences);
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state;
        }
    }
}
