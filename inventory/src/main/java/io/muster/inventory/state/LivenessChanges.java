package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import java.io.IOException;

/** The command that reports which ranks are up, and the event that it leads to. */
public final class LivenessChanges {
    private LivenessChanges() {}

    public record SetLiveness(LivenessChange change, String targets, String cause) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolve(state, targets, Wording.fault("cause", cause), ranks -> {
                Liveness live = state.liveness();
                Idset moving = switch (change) {
                    case ONLINE ->
                        ranks.subtract(live.online().subtract(live.reports().unknown()));
                    case OFFLINE -> ranks.subtract(live.offline(ranks));
                    case TORPID -> ranks.intersect(live.online());
                    case LIVELY -> ranks.intersect(live.torpid());
                };
                return moving.isEmpty()
                        ? Decision.accept()
                        : Decision.accept(new LivenessChanged(change, Targets.event(state, moving), cause));
            });
        }
    }

    /**
     * Reports ranks as offline, like flux-core's {@code monitor-force-down}. Ranks that do not exist or are offline already are
     * ignored.
     */
    public record ForceDown(Idset ranks) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            Idset known = ranks.intersect(state.resources().ranks());
            Idset falling = known.subtract(state.liveness().offline(known));
            return falling.isEmpty()
                    ? Decision.accept()
                    : Targets.bounded(() -> Decision.accept(
                            new LivenessChanged(LivenessChange.OFFLINE, Targets.event(state, falling), "forced down")));
        }
    }

    /**
     * The event of RFC 44 {@code online, offline, torpid, lively}. A rank that was torpid and is online again is reported as
     * lively.
     *
     * @param extras members that another version wrote and this version does not know
     */
    public record LivenessChanged(LivenessChange change, Event.Targets targets, String cause, Extras extras)
            implements Event.Targeted {
        public LivenessChanged(LivenessChange change, Event.Targets targets, String cause) {
            this(change, targets, cause, Extras.NONE);
        }

        @Override
        public String name() {
            return change.word();
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            targets.write(out);
            if (!cause.isEmpty()) {
                out.writeStringField("cause", cause);
            }
            extras.write(out);
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            LivenessState reported = new LivenessState(change.status(), time, cause, 0, extras);
            return state.withLiveness(l -> l.put(targets.ranks(), reported));
        }
    }
}
