package io.muster.daemon.http;

import java.util.List;

/**
 * The content of the response to a probe. The daemon is healthy if {@code reasons} is empty. Reasons and notes are sentences
 * for an operator; a note may be there although the daemon is healthy.
 */
public record Health(List<String> reasons, List<String> notes) {
    public static final Health OK = new Health(List.of(), List.of());

    public Health {
        reasons = List.copyOf(reasons);
        notes = List.copyOf(notes);
    }

    public static Health because(String... reasons) {
        return new Health(List.of(reasons), List.of());
    }

    /**
     * Returns this health with a note.
     *
     * @param note "" for none
     */
    public Health noting(String note) {
        return note.isEmpty() ? this : new Health(reasons, List.of(note));
    }

    public boolean ok() {
        return reasons.isEmpty();
    }
}
