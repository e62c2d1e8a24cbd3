package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Who asked for a change, as the kernel told us.
 *
 * @param uid 32 bits without a sign, except for {@link #DAEMON}'s
 * @param user the name of {@code uid} when the request was made; the record keeps it because accounts go away
 * @param pid 0 when unknown, as when the peer lives in another PID namespace: for people to read, never for decisions
 */
public record Principal(int uid, String user, int pid) {
    /** The daemon itself: timers, start-up, configuration. The kernel keeps -1 for "no user". */
    public static final Principal DAEMON = new Principal(-1, "muster", 0);

    private static final long LAST_UID = (1L << 32) - 2;

    static Principal read(Fields in) {
        return new Principal(
                (int) in.integer("userid", DAEMON.uid, LAST_UID),
                in.text("user"),
                in.has("pid") ? (int) in.integer("pid", 0, Integer.MAX_VALUE) : 0);
    }

    /** Its members, not their braces. */
    void write(JsonGenerator out) throws IOException {
        out.writeNumberField("userid", uid == DAEMON.uid ? uid : Integer.toUnsignedLong(uid));
        out.writeStringField("user", user);
        if (pid != 0) {
            out.writeNumberField("pid", pid);
        }
    }

    // Spelled out, as in other records that are keys here: a record's own are spun at run time, and cost each command a
    // third of its time.

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof Principal that && uid == that.uid && pid == that.pid && user.equals(that.user);
    }

    @Override
    public int hashCode() {
        return 31 * uid + pid;
    }

    @Override
    public String toString() {
        return uid == DAEMON.uid ? user : user + "(" + Integer.toUnsignedString(uid) + ")";
    }
}
