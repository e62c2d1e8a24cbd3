package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.Set;
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
 * @param extras what another version wrote of the author
 */
public record Principal(int uid, String user, int pid, int login, Extras extras) {
    /** The kernel's value for a process that no login has started, such as a service. */
    public static final int NO_LOGIN = -1;

    /** Keys of an author, which stand in an object of their own or among the keys of an event. */
    public static final Set<String> KEYS = Set.of("userid", "user", "pid", "loginuid");

    /**
     * The daemon as author of what timers, the start of the daemon and the configuration do. The kernel reserves user -1 for
     * "no user".
     */
    public static final Principal DAEMON = new Principal(-1, "muster", 0);

    private static final long LAST_UID = (1L << 32) - 2;

    public Principal(int uid, String user, int pid) {
        this(uid, user, pid, NO_LOGIN);
    }

    public Principal(int uid, String user, int pid, int login) {
        this(uid, user, pid, login, Extras.NONE);
    }

    /** Reads an author whose keys stand among others. */
    public static Principal read(Fields in) {
        return read(in, Extras.NONE);
    }

    /** Reads an author from an object that has nothing else. */
    public static Principal readWhole(Fields in) {
        return read(in, Extras.besides(in, KEYS));
    }

    private static Principal read(Fields in, Extras extras) {
        return new Principal(
                readUid(in),
                in.text("user"),
                in.has("pid") ? (int) in.integer("pid", 0, Integer.MAX_VALUE) : 0,
                in.has("loginuid") ? (int) in.integer("loginuid", 0, LAST_UID) : NO_LOGIN,
                extras);
    }

    /** Reads the key of an author's uid. */
    public static int readUid(Fields in) {
        return (int) in.integer("userid", DAEMON.uid, LAST_UID);
    }

    public static void writeUid(JsonGenerator out, int uid) throws IOException {
        out.writeNumberField("userid", uid == DAEMON.uid ? uid : Integer.toUnsignedLong(uid));
    }

    /** Returns whether both are requests of one person, perhaps from different processes or under a name that changed since. */
    public boolean isSamePerson(Principal other) {
        return uid == other.uid;
    }

    /** Writes the members into the current JSON object. */
    public void write(JsonGenerator out) throws IOException {
        writeUid(out, uid);
        out.writeStringField("user", user);
        if (pid != 0) {
            out.writeNumberField("pid", pid);
        }
        if (login != NO_LOGIN) {
            out.writeNumberField("loginuid", Integer.toUnsignedLong(login));
        }
        extras.write(out);
    }

    /** Returns this author as the first format level has it. */
    public Principal withoutLogin() {
        return login == NO_LOGIN ? this : new Principal(uid, user, pid, NO_LOGIN, extras);
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
        return o instanceof Principal that
                && uid == that.uid
                && pid == that.pid
                && login == that.login
                && user.equals(that.user)
                && extras.equals(that.extras);
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
