package io.muster.inventory.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a command: events to journal (none if they would change nothing), or a rejection. */
public record Decision(List<Event> events, @Nullable Rejection rejection) {
    /**
     * Why a command was refused. The cause is always the request and never the daemon. The kinds are those to which a client
     * can react.
     *
     * @param text one sentence for the person who sent the request
     */
    public record Rejection(Kind kind, String text) {
        public enum Kind {
            /** The request is not valid for this inventory. */
            INVALID,
            /** The target is already in the requested state, or not in the required one; the caller may insist with a mode. */
            EXISTS,
            /** Somebody else holds the target. */
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
