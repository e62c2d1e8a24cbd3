package io.muster.daemon.core;

import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a command.
 *
 * @param entries the entries that the command wrote, now on disk; empty when nothing had to change
 * @param rejection why the command was refused
 * @param failure why a valid command could not be carried out
 */
public record Answer(
        List<Entry> entries,
        @Nullable Rejection rejection,
        @Nullable Failure failure) {

    /** @param text one sentence for the operator */
    public record Failure(Kind kind, String text) {
        public enum Kind {
            /** The disk refuses writes. Trying again helps only after somebody has repaired it. */
            DISK,
            /** Too many changes wait for the disk. Trying again a little later helps. */
            BUSY,
            /** The command needs an entry that is longer than a line of the journal can be. Trying again never helps. */
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
