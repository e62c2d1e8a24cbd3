package io.muster.inventory.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a command leads to: events to be made durable (none, if all is so already), or a rejection. */
public record Decision(List<Event> events, @Nullable Rejection rejection) {
    /**
     * Why a command was refused: the admin's fault, never ours. The kinds are those that a client can act upon.
     *
     * @param text one sentence for the person who asked
     */
    public record Rejection(Kind kind, String text) {
        public enum Kind {
            /** The request cannot be right against this inventory. */
            INVALID,
            /** It is so already, or not so: the caller may insist with a mode. */
            EXISTS,
            /** Somebody else's hold. */
            HELD_BY_OTHER
        }
    }

    public Decision {
        events = List.copyOf(events);
    }

    static Decision accept(Event... events) {
        return new Decision(List.of(events), null);
    }

    static Decision reject(Rejection.Kind kind, String text) {
        return new Decision(List.of(), new Rejection(kind, text));
    }
}
