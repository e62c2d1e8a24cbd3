package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** The commands that begin and end an acquisition that has an owner, and the events that they lead to. */
public final class AcquisitionChanges {
    /** The highest number of acquisitions that have an owner. */
    static final int MOST = 64;

    private AcquisitionChanges() {}

    /** Begins an acquisition, or takes up one that its owner has made before. */
    public record Claim(String owner, double grace) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            String fault = Acquisition.ownerFault(owner);
            fault = fault == null ? Acquisition.graceFault(grace) : fault;
            if (fault != null) {
                return Decision.reject(Decision.Rejection.Kind.INVALID, fault);
            }
            Acquisition held = state.acquisitions().get(owner);
            if (held != null && !held.by().isSamePerson(by)) {
                return Decision.reject(
                        Decision.Rejection.Kind.HELD_BY_OTHER,
                        "the acquisition of " + owner + " belongs to " + held.by() + ": use another owner");
            }
            if (held == null && state.acquisitions().size() >= MOST) {
                return Decision.reject(
                        Decision.Rejection.Kind.INVALID,
                        MOST + " acquisitions have owners already: release one with `muster acquire release`");
            }
            return held != null && held.grace() == grace
                    ? Decision.accept()
                    : Decision.accept(new Acquired(owner, grace, Extras.NONE));
        }
    }

    /**
     * Ends an acquisition that has an owner.
     *
     * @param owner "" for the only acquisition that has an owner
     */
    public record Release(String owner, @Nullable String reason) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            SortedMap<String, Acquisition> all = state.acquisitions();
            String fault = Wording.fault("reason", reason);
            if (fault == null && all.isEmpty()) {
                fault = "no acquisition has an owner: nothing can be released";
            } else if (fault == null && owner.isEmpty() && all.size() > 1) {
                fault = all.size() + " acquisitions have owners: name one of " + String.join(", ", all.keySet());
            } else if (fault == null && !owner.isEmpty() && !all.containsKey(owner)) {
                fault = "no acquisition has the owner \"" + owner + "\": the owners are "
                        + String.join(", ", all.keySet());
            }
            return fault == null
                    ? Decision.accept(new Released(owner.isEmpty() ? all.firstKey() : owner, reason))
                    : Decision.reject(Decision.Rejection.Kind.INVALID, fault);
        }
    }

    /**
     * The event that an owner made an acquisition, or took it up with another grace.
     *
     * @param extras members that another version wrote and this version does not know
     */
    public record Acquired(String owner, double grace, Extras extras) implements Event {
        @Override
        public String name() {
            return "acquire";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            out.writeStringField("owner", owner);
            Epoch.write(out, "grace", grace);
            extras.write(out);
        }

        @Override
        public @Nullable String faultIn(InventoryState state) {
            return null;
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            Acquisition before = state.acquisitions().get(owner);
            double since = before == null ? time : before.since();
            return state.withAcquisition(new Acquisition(owner, grace, since, by, extras));
        }
    }

    public record Released(String owner, @Nullable String reason) implements Event {
        @Override
        public String name() {
            return "release";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            out.writeStringField("owner", owner);
            Fields.writeOptional(out, "reason", reason);
        }

        @Override
        public @Nullable String faultIn(InventoryState state) {
            return state.acquisitions().containsKey(owner) ? null : "releases what " + owner + " has not acquired";
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withoutAcquisition(owner);
        }
    }
}
