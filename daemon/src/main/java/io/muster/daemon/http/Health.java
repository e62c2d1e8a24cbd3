package io.muster.daemon.http;

import java.util.List;

/**
 * The answer to a probe: well when {@code reasons} is empty. Each reason is a sentence for an operator, and so is each note, which says
 * something of a daemon that is well all the same.
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

    /** @param note "" for none */
    public Health noting(String note) {
        return note.isEmpty() ? this : new Health(reasons, List.of(note));
    }

    public boolean ok() {
        return reasons.isEmpty();
    }
}
