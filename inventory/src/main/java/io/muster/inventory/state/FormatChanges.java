package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.json.Fields;
import io.muster.inventory.level.Level;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The command that finishes an upgrade of the program, and the event that it leads to. */
public final class FormatChanges {
    private FormatChanges() {}

    /** Raises the level of the state directory to the newest one, so that the earlier version no longer starts on it. */
    public record FinishUpgrade() implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return state.level() == Level.NEWEST ? Decision.accept() : Decision.accept(new Upgraded(Level.NEWEST));
        }
    }

    /** Entries after this event may be of a level that earlier versions do not know. */
    public record Upgraded(Level to) implements Event {
        static Upgraded read(Fields context) {
            long number = context.integer("level", 1, Integer.MAX_VALUE);
            if (!Level.isKnown(number)) {
                throw context.fault("level", "is " + Level.unknown(number, context.textOr("needs", "")));
            }
            return new Upgraded(Level.of(number));
        }

        @Override
        public String name() {
            return "upgrade";
        }

        @Override
        public void writeContext(JsonGenerator out) throws IOException {
            out.writeNumberField("level", to.number());
            out.writeStringField("needs", to.needs());
        }

        @Override
        public @Nullable String faultIn(InventoryState state) {
            return null;
        }

        @Override
        public InventoryState applyTo(InventoryState state, double time, Principal by) {
            return state.withLevel(to);
        }
    }
}
