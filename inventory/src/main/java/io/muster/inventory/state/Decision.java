package io.muster.inventory.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of deciding on a command: events to journal (none if the command would change nothing), or a rejection. */
public record Decision(List<Event> events, @Nullable Rejection rejection) {
    /**
     * The reason for which a command was refused, which is always in the request and never in the daemon. There is one kind
     * for each reaction that a client may have.
     *
     * @param text one sentence for the user that sent the request
     * @param brake the holders of the brake that refused the command; "" for every other kind
     */
    public record Rejection(Kind kind, String text, String brake) {
        public Rejection(Kind kind, String text) {
            this(kind, text, "");
        }

        public enum Kind {
            /** The request is not valid for this inventory. */
            INVALID,
            /**
             * The target is already in the requested state, or not in the required state. A client may insist by repeating
             * the request with a mode.
             */
            EXISTS,
            /** The targets are other hosts than those that were confirmed. */
            STALE,
            /** Another user holds the target. */
            HELD_BY_OTHER,
            /** The change would go beyond a limit for one user. */
            LIMIT,
            /** A program would drain more hosts than a {@link Brake} permits. */
            BRAKED,
            /** The request repeats a change that was not written to disk, or is too old to be remembered. */
            FORGOTTEN
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
