package io.muster.daemon.core;

import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a command.
 *
 * @param entries what is on disk now because of it; none when nothing had to change
 * @param rejection why it was refused
 * @param failure why it could not be carried out though nothing is wrong with it
 */
public record Answer(
        List<Entry> entries,
        @Nullable Rejection rejection,
        @Nullable Failure failure) {

    /** @param text one sentence for the operator */
    public record Failure(Kind kind, String text) {
        public enum Kind {
            /** The disk refuses: trying again helps only when somebody has seen to it. */
            DISK,
            /** Too much waits for the disk: trying again a little later helps. */
            BUSY,
            /** No line of the journal can hold it: it never will be taken as it is. */
            TOO_LONG
        }
    }

    static Answer done(List<Entry> entries) {
        return new Answer(entries, null, null);
    }

    static Answer rejected(Rejection rejection) {
        return new Answer(List.of(), rejection, null);
    }

    static Answer failed(Failure.Kind kind, String text) {
        return new Answer(List.of(), null, new Failure(kind, text));
    }
}
