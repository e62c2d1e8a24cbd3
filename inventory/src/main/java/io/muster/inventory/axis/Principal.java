package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The author of a request, as the kernel reports the peer of a UNIX socket.
 *
 * @param uid the user id, an unsigned 32-bit number, except for {@link #DAEMON}
 * @param user name of {@code uid} at the time of the request, kept because accounts may be deleted
 * @param pid 0 if unknown, for example if the peer is in another PID namespace; shown to people, never used to decide
 *     anything
 */
public record Principal(int uid, String user, int pid) {
    /**
     * The daemon as author of what timers, the start of the daemon and the configuration do. The kernel reserves user -1 for
     * "no user".
     */
    public static final Principal DAEMON = new Principal(-1, "muster", 0);

    private static final long LAST_UID = (1L << 32) - 2;

    public static Principal read(Fields in) {
        return new Principal(
                (int) in.integer("userid", DAEMON.uid, LAST_UID),
                in.text("user"),
                in.has("pid") ? (int) in.integer("pid", 0, Integer.MAX_VALUE) : 0);
    }

    /** Returns whether both are requests of one person, perhaps from different processes or under a name that changed since. */
    boolean isSamePerson(Principal other) {
        return uid == other.uid;
    }

    /** Writes the members into the current JSON object. */
    public void write(JsonGenerator out) throws IOException {
        out.writeNumberField("userid", uid == DAEMON.uid ? uid : Integer.toUnsignedLong(uid));
        out.writeStringField("user", user);
        if (pid != 0) {
            out.writeNumberField("pid", pid);
        }
    }

    // The methods equals and hashCode are written out here and in other records that are keys of maps: the methods
    // that the JVM generates for records take a third of the time of each command.

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
