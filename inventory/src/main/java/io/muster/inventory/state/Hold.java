package io.muster.inventory.state;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One party's reason to keep a host from being scheduled.
 *
 * @param holder who must let go: {@link #SHARED} for plain drains, else a name of the holder's own choosing
 * @param reason null when none was given, which a later drain may fill in without force (as flux-core does)
 * @param since seconds since the epoch
 * @param until when the hold lifts itself, in seconds since the epoch; 0 for never
 */
public record Hold(String holder, @Nullable String reason, double since, Principal by, double until) {
    /** The holder of every drain that names none; flux-core knows only this one. */
    public static final String SHARED = "admin";

    private static final int LONGEST_HOLDER = 64;

    boolean expiredAt(double now) {
        return until > 0 && until <= now;
    }

    /** The shared hold is anybody's; a named one is its maker's. */
    boolean mayBeChangedBy(Principal by) {
        return holder.equals(SHARED) || this.by.uid() == by.uid();
    }

    /** What is wrong with a holder's name, or null. It ends up in log lines and tables, so it is one plain word. */
    static @Nullable String holderFault(String holder) {
        if (holder.isEmpty() || holder.length() > LONGEST_HOLDER) {
            return "a holder's name has 1 to " + LONGEST_HOLDER + " characters, not " + holder.length();
        }
        for (int i = 0; i < holder.length(); i++) {
            char c = holder.charAt(i);
            boolean word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!word && "._:@-".indexOf(c) < 0) {
                return "holder \"" + holder + "\": letters, digits and ._:@- only";
            }
        }
        return null;
    }

    // Spelled out: see Principal.

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof Hold that
                && holder.equals(that.holder)
                && Objects.equals(reason, that.reason)
                && Double.compare(since, that.since) == 0
                && Double.compare(until, that.until) == 0
                && by.equals(that.by);
    }

    @Override
    public int hashCode() {
        return 31 * holder.hashCode() + Double.hashCode(since);
    }
}
