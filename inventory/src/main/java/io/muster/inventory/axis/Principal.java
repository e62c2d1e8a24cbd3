package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The author of a request: a user of the daemon's host, as the kernel reports the peer of a UNIX socket, or an author without a
 * uid there, such as {@code cert:NAME}, the holder of a certificate.
 *
 * @param uid the user id, an unsigned 32-bit number, or {@link #NO_UID}
 * @param user name of {@code uid} at the time of the request, kept because accounts may be deleted; without a uid, the name
 *     that identifies the author
 * @param pid 0 if unknown, for example if the peer is in another PID namespace; shown to people, never used to decide
 *     anything
 * @param login the audit login uid of the process, an unsigned 32-bit number, or {@link #NO_LOGIN}: the user that logged in,
 *     which stays the same under sudo; shown to people, never used to decide anything
 * @param speaker the user that sent the request on behalf of this user; null if this user sent it
 * @param extras members that another version wrote and this version does not know
 */
public record Principal(
        int uid, String user, int pid, int login, @Nullable Speaker speaker, Extras extras) {
    /** The kernel's value for a process that no login has started, such as a service. */
    public static final int NO_LOGIN = -1;

    /** The value for an author without a uid on the daemon's host. The kernel reserves it for "no user". */
    public static final int NO_UID = -1;

    /** Keys of an author. They are in a separate object or among the keys of an event. */
    public static final Set<String> KEYS = Set.of("userid", "user", "pid", "loginuid", "speaker");

    /** The daemon as the author of changes that timers, the start of the daemon and the configuration cause. */
    public static final Principal DAEMON = ofName("muster");

    /** What stands after the name of a user whose page is the author. */
    public static final String PAGE = " (page)";

    private static final Pattern OF_PAGE = Pattern.compile("token:web-(.+)-[0-9a-f]{8}");
    private static final long LAST_UID = (1L << 32) - 2;

    public Principal(int uid, String user, int pid) {
        this(uid, user, pid, NO_LOGIN);
    }

    public Principal(int uid, String user, int pid, int login) {
        this(uid, user, pid, login, null, Extras.NONE);
    }

    /** Returns an author without a uid. */
    public static Principal ofName(String name) {
        return new Principal(NO_UID, name, 0);
    }

    /**
     * The author of a request that claims to be from another user.
     *
     * @param squashed whether the holds and change ids of the request belong to the speaker and not to the user, because the
     *     user is root or the daemon's owner
     */
    public record Speaker(Principal author, boolean squashed) {
        private static final Set<String> KEYS = Set.of("userid", "user", "pid", "loginuid", "squashed");

        private static Speaker read(Fields in) {
            Principal author = Principal.read(in, null, Extras.besides(in, KEYS));
            return new Speaker(author, in.has("squashed") && in.flag("squashed"));
        }

        private void write(JsonGenerator out) throws IOException {
            out.writeObjectFieldStart("speaker");
            author.write(out);
            if (squashed) {
                out.writeBooleanField("squashed", true);
            }
            out.writeEndObject();
        }
    }

    /** Reads an author whose keys are among other keys. */
    public static Principal read(Fields in) {
        return read(in, Extras.NONE);
    }

    /** Reads the author in the object {@code by}, which has no other keys. */
    public static Principal readBy(Fields in) {
        return readIn(in, "by");
    }

    /** Reads the author in an object that has no other keys. */
    public static Principal readIn(Fields in, String key) {
        Fields author = in.object(key);
        return read(author, Extras.besides(author, KEYS));
    }

    private static Principal read(Fields in, Extras extras) {
        return read(in, in.has("speaker") ? Speaker.read(in.object("speaker")) : null, extras);
    }

    private static Principal read(Fields in, @Nullable Speaker speaker, Extras extras) {
        return new Principal(
                readUid(in),
                in.text("user"),
                in.has("pid") ? (int) in.integer("pid", 0, Integer.MAX_VALUE) : 0,
                in.has("loginuid") ? (int) in.integer("loginuid", 0, LAST_UID) : NO_LOGIN,
                speaker,
                extras);
    }

    /** Reads the key of an author's uid. */
    public static int readUid(Fields in) {
        return (int) in.integer("userid", NO_UID, LAST_UID);
    }

    public static void writeUid(JsonGenerator out, int uid) throws IOException {
        out.writeNumberField("userid", uid == NO_UID ? uid : Integer.toUnsignedLong(uid));
    }

    /** Returns whether both are requests of one person, perhaps from different processes or under a name that changed since. */
    public boolean isSamePerson(Principal other) {
        Principal one = person();
        Principal two = other.person();
        return one.uid == two.uid && (one.uid != NO_UID || one.user.equals(two.user));
    }

    /** Returns the author to whom the holds and the change ids of this author belong. */
    public Principal person() {
        return speaker != null && speaker.squashed ? speaker.author : this;
    }

    /** Returns this user as author of a request that {@code by} has sent. */
    public Principal through(Principal by, boolean squashed) {
        return new Principal(uid, user, pid, login, new Speaker(by, squashed), extras);
    }

    /** Writes the object {@code by}. */
    public void writeBy(JsonGenerator out) throws IOException {
        writeIn(out, "by");
    }

    /** Writes an object that {@link #readIn} reads. */
    public void writeIn(JsonGenerator out, String key) throws IOException {
        out.writeObjectFieldStart(key);
        write(out);
        out.writeEndObject();
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
        if (speaker != null) {
            speaker.write(out);
        }
        extras.write(out);
    }

    /** Returns {@link #author()} from the members that {@link #write} writes. */
    public static String author(JsonNode members) {
        return of(members).author();
    }

    /** Returns the author from the members that {@link #write} writes, as far as they are there. */
    public static Principal of(JsonNode members) {
        Principal user = lenient(members);
        JsonNode by = members.path("speaker");
        return by.isObject() ? user.through(lenient(by), false) : user;
    }

    private static Principal lenient(JsonNode members) {
        int uid = (int) members.path("userid").asLong(NO_UID);
        int login = (int) members.path("loginuid").asLong(NO_LOGIN);
        return new Principal(uid, members.path("user").asText(""), 0, login);
    }

    /** Returns the user's name, the speaker's, and the login uid if it is another user's. */
    public String author() {
        return names() + loginNote();
    }

    /** Returns the user's name, and the speaker's if there is one: {@code alice through flux}. A page is {@code alice (page)}. */
    public String names() {
        return speaker == null ? shown() : shown() + " through " + speaker.author.shown();
    }

    private String shown() {
        String maker = maker(user);
        return maker == null ? user : maker + PAGE;
    }

    /** Returns the user for whose page the token was made that is the author with this name; null for any other author. */
    public static @Nullable String maker(String name) {
        Matcher ofPage = OF_PAGE.matcher(name);
        return name.startsWith("token:") && ofPage.matches() ? ofPage.group(1) : null;
    }

    /** Returns {@code " (login uid 1000)"} if another user than the sender of the request has logged in; otherwise "". */
    public String loginNote() {
        if (speaker != null) {
            return speaker.author.loginNote();
        }
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
                && Objects.equals(speaker, that.speaker)
                && extras.equals(that.extras);
    }

    @Override
    public int hashCode() {
        return 31 * uid + pid;
    }

    @Override
    public String toString() {
        String text = uid == NO_UID ? user : user + "(" + Integer.toUnsignedString(uid) + ")";
        return speaker == null ? text : text + " through " + speaker.author;
    }
}
