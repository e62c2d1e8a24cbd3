package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A holder's reason to keep a host from being scheduled.
 *
 * @param holder the name under which the hold was placed and must be ended: {@link #SHARED} for plain drains, otherwise a
 *     name that the user chose
 * @param reason null if none was given; a later drain may then add a reason without force, as in flux-core
 * @param since when the host was drained, in seconds since the epoch
 * @param changed when the reason or the author last changed; {@code since} if they never did
 * @param from time at which the hold was planned to begin, in seconds since the epoch; 0 if it was not planned
 * @param until time at which the hold ends by itself, in seconds since the epoch; 0 for never. A hold with a check does not end then,
 *     but is overdue.
 * @param attempt number of the attempt, which no other hold of the host has or had; 0 for a hold without check and action, and for one
 *     that has not begun
 * @param standing how far the attempt has come; null if nothing was reported about it
 * @param extras members that another version wrote and this version does not know
 */
public record Hold(
        String holder,
        @Nullable String reason,
        double since,
        double changed,
        Principal by,
        double from,
        double until,
        Purpose purpose,
        long attempt,
        @Nullable Standing standing,
        Extras extras) {
    /** Holder of every drain that names no holder, and the only holder that flux-core knows. */
    public static final String SHARED = "admin";

    private static final int LONGEST_HOLDER = 64;
    private static final Set<String> KEYS = keys();

    public Hold(String holder, @Nullable String reason, double since, Principal by, double until) {
        this(holder, reason, since, since, by, 0, until, Purpose.NONE, 0, null, Extras.NONE);
    }

    private static Set<String> keys() {
        Set<String> keys = new HashSet<>(
                List.of("holder", "reason", "since", "changed", "from", "until", "attempt", "standing", "by"));
        keys.addAll(Purpose.KEYS);
        return Set.copyOf(keys);
    }

    static Hold read(Fields in) {
        double since = Epoch.seconds(in, "since");
        return new Hold(
                in.text("holder"),
                in.optional("reason"),
                since,
                in.has("changed") ? Epoch.seconds(in, "changed") : since,
                Principal.readBy(in),
                Epoch.instantOr(in, "from", 0),
                Epoch.instantOr(in, "until", 0),
                Purpose.read(in),
                in.has("attempt") ? in.integer("attempt", 1, Long.MAX_VALUE) : 0,
                in.has("standing") ? Standing.read(in.object("standing")) : null,
                Extras.besides(in, KEYS));
    }

    /** Writes the members into the current JSON object. */
    void write(JsonGenerator out) throws IOException {
        out.writeStringField("holder", holder);
        Fields.writeOptional(out, "reason", reason);
        Epoch.write(out, "since", since);
        if (changed != since) {
            Epoch.write(out, "changed", changed);
        }
        writeTerms(out, from, until, purpose, attempt);
        if (standing != null) {
            standing.write(out);
        }
        by.writeBy(out);
        extras.write(out);
    }

    /** Writes those members of a hold that most holds lack into the current JSON object. */
    public static void writeTerms(JsonGenerator out, double from, double until, Purpose purpose, long attempt)
            throws IOException {
        if (from > 0) {
            Epoch.write(out, "from", from);
        }
        if (until > 0) {
            Epoch.write(out, "until", until);
        }
        purpose.write(out);
        if (attempt > 0) {
            out.writeNumberField("attempt", attempt);
        }
    }

    /**
     * Returns this hold with the reason, the author and the extras of another hold. The end and the parts of the purpose that the other
     * hold has replace those of this hold, and a check or an action of the other hold is a new attempt. Another beginning has its own
     * end.
     */
    public Hold changedTo(Hold other) {
        Purpose next = other.purpose.or(purpose);
        boolean same = words().equals(other.words())
                && next.reported().equals(purpose.reported())
                && by.author().equals(other.by.author());
        return new Hold(
                holder,
                other.reason,
                since,
                same ? changed : other.since,
                other.by,
                other.from > 0 ? other.from : from,
                other.until > 0 || other.from > 0 ? other.until : until,
                next,
                other.purpose.isAttempt() ? other.attempt : attempt,
                other.purpose.isAttempt() ? null : standing,
                other.extras);
    }

    /**
     * Returns this hold after a planned hold of the same holder has begun on its host: the reason stays, the later end counts, and the
     * parts of the purpose that this hold lacks are those of the planned hold.
     */
    public Hold joined(Hold planned) {
        Hold base = reason == null ? changedTo(planned) : this;
        boolean attempts = purpose.isAttempt();
        Purpose more = attempts ? planned.purpose.reported() : planned.purpose;
        return new Hold(
                holder,
                base.reason,
                since,
                base.changed,
                base.by,
                planned.from,
                until == 0 || planned.until == 0 ? 0 : Math.max(until, planned.until),
                purpose.or(more),
                attempts ? attempt : planned.attempt,
                attempts ? standing : null,
                base.extras);
    }

    /** Returns this hold with another end. */
    public Hold until(double end) {
        return new Hold(holder, reason, since, changed, by, from, end, purpose, attempt, standing, extras);
    }

    /** Returns the first time at which something ends by itself: this hold, or the claim of its work; 0 if nothing does. */
    double deadline() {
        double lease = standing == null ? 0 : standing.until();
        return lease == 0 || until == 0 ? Math.max(lease, until) : Math.min(lease, until);
    }

    /** Returns whether the claim of the work has ended. */
    public boolean hasLapsed(double now) {
        return standing != null && standing.until() > 0 && standing.until() <= now;
    }

    /** Returns this hold after a step of its attempt, or as another attempt. */
    public Hold at(long number, @Nullable Standing next) {
        return new Hold(holder, reason, since, changed, by, from, until, purpose, number, next, extras);
    }

    /**
     * Returns whether both holds are the same, although two processes of one user may have placed them, and although the other one
     * would be another attempt, unless the action of this one has failed.
     */
    public boolean says(Hold other) {
        Hold mine = new Hold(
                other.holder,
                other.reason,
                other.since,
                other.changed,
                by,
                other.from,
                other.until,
                other.purpose,
                attempt,
                standing,
                other.extras);
        boolean isOver =
                other.standing != null && other.standing.step() == Standing.Step.FAILED && attempt != other.attempt;
        return !isOver
                && equals(mine)
                && by.isSamePerson(other.by)
                && by.author().equals(other.by.author());
    }

    private String words() {
        return Objects.requireNonNullElse(reason, "");
    }

    /** Returns the ticket and the reason as one text, for views without a column for the ticket. */
    public String text() {
        return (purpose.ticket() + " " + words()).strip();
    }

    /** Returns whether the hold ends by itself now. */
    public boolean expiredAt(double now) {
        return until > 0 && until <= now && purpose.check().isEmpty();
    }

    /**
     * Returns whether {@code by} may change this hold. Every user may change the shared hold; only its author may change any
     * other hold.
     */
    public boolean mayBeChangedBy(Principal by) {
        return holder.equals(SHARED) || this.by.isSamePerson(by);
    }

    /**
     * Returns what is wrong with the name of a holder, or null. A name is one plain word, because it appears in log lines and
     * tables.
     */
    public static @Nullable String holderFault(String holder) {
        return wordFault("holder", holder, LONGEST_HOLDER);
    }

    /** Returns what is wrong with a name that must be one plain word, or null. */
    public static @Nullable String wordFault(String noun, String name, int longest) {
        if (name.isEmpty() || name.length() > longest) {
            return (noun.equals("owner") ? "an " : "a ") + noun + "'s name has 1 to " + longest + " characters, not "
                    + name.length();
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!word && "._:@-".indexOf(c) < 0) {
                return noun + " \"" + name + "\": letters, digits and ._:@- only";
            }
        }
        return null;
    }

    // These methods are written out for speed, as Principal explains.

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof Hold that
                && holder.equals(that.holder)
                && Objects.equals(reason, that.reason)
                && Double.compare(since, that.since) == 0
                && Double.compare(changed, that.changed) == 0
                && Double.compare(from, that.from) == 0
                && Double.compare(until, that.until) == 0
                && attempt == that.attempt
                && Objects.equals(standing, that.standing)
                && purpose.equals(that.purpose)
                && by.equals(that.by)
                && extras.equals(that.extras);
    }

    @Override
    public int hashCode() {
        return 31 * holder.hashCode() + Double.hashCode(since);
    }
}
