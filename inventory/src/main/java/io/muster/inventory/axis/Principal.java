package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
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
 * @param login the audit login uid of the process, an unsigned 32-bit number, or {@link #NO_LOGIN}: the user that logged in,
 *     which stays the same under sudo; shown to people, never used to decide anything
 */
public record Principal(int uid, String user, int pid, int login) {
    /** The kernel's value for a process that no login has started, such as a service. */
    public static final int NO_LOGIN = -1;

    /**
     * The daemon as author of what timers, the start of the daemon and the configuration do. The kernel reserves user -1 for
     * "no user".
     */
    public static final Principal DAEMON = new Principal(-1, "muster", 0);

    private static final long LAST_UID = (1L << 32) - 2;

    public Principal(int uid, String user, int pid) {
        this(uid, user, pid, NO_LOGIN);
    }

    public static Principal read(Fields in) {
        return new Principal(
                (int) in.integer("userid", DAEMON.uid, LAST_UID),
                in.text("user"),
                in.has("pid") ? (int) in.integer("pid", 0, Integer.MAX_VALUE) : 0,
                in.has("loginuid") ? (int) in.integer("loginuid", 0, LAST_UID) : NO_LOGIN);
    }

    /** Writes the members into the current JSON object. */
    public void write(JsonGenerator out) throws IOException {
        out.writeNumberField("userid", uid == DAEMON.uid ? uid : Integer.toUnsignedLong(uid));
        out.writeStringField("user", user);
        if (pid != 0) {
            out.writeNumberField("pid", pid);
        }
        if (login != NO_LOGIN) {
            out.writeNumberField("loginuid", Integer.toUnsignedLong(login));
        }
    }

    /** Returns the user's name, and the login uid if it is another user's, from the members that {@link #write} writes. */
    public static String author(JsonNode members) {
        int uid = (int) members.path("userid").asLong(DAEMON.uid);
        int login = (int) members.path("loginuid").asLong(NO_LOGIN);
        return new Principal(uid, members.path("user").asText(""), 0, login).author();
    }

    public String author() {
        return user + loginNote();
    }

    /** Returns {@code " (login uid 1000)"} if another user than {@link #uid} has logged in; otherwise "". */
    public String loginNote() {
        return login == NO_LOGIN || login == uid ? "" : " (login uid " + Integer.toUnsignedString(login) + ")";
    }

    // The methods equals and hashCode are written out here and in other records that are keys of maps: the methods
    // that the JVM generates for records take a third of the time of each command.

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof Principal that && uid == that.uid && pid == that.pid && login == that.login && user.equals(that.user);
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
