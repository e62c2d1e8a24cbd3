package io.muster.protocol.wire;

/**
 * The sender of a message and the sender's roles: RFC 12 "Credential", carried in every RFC 3 header. Both numbers are
 * unsigned.
 *
 * @param userid POSIX user id, or {@link #USERID_UNKNOWN}
 * @param rolemask a set of {@link #OWNER}, {@link #USER}, {@link #LOCAL}, {@link #ADMIN}; unknown bits are kept
 */
public record Credentials(int userid, int rolemask) {
    public static final int USERID_UNKNOWN = 0xffffffff;

    /** The role of the owner of the instance, who may do everything. */
    public static final int OWNER = 1;

    /** The role of a guest. */
    public static final int USER = 2;

    /** The role of a sender that is connected on this host. It says nothing about what the user may do. */
    public static final int LOCAL = 4;

    /** The role of a guest that has the right to administer. */
    public static final int ADMIN = 8;

    /** The credentials of a client that leaves both numbers to the server. */
    public static final Credentials UNSET = new Credentials(USERID_UNKNOWN, 0);

    public boolean isOwner() {
        return has(OWNER);
    }

    /** Returns whether the sender has at least one of these roles. */
    public boolean has(int roles) {
        return (rolemask & roles) != 0;
    }

    /** Returns whether the sender has at least one of the allowed roles or is the owner (RFC 12 "Service Security Policy"). */
    public boolean mayUse(int allowedRoles) {
        return has(allowedRoles | OWNER);
    }

    /**
     * Returns the credentials that count for a message that arrives over a connection with these credentials (RFC 12
     * "Credential Assignment"). The claims in messages of a guest are ignored: the messages get the credentials of the
     * connection. The claims of the owner are accepted, so that a router can send requests for others and a test can act as a
     * guest; as in flux-core, the server fills in each number that is unset.
     *
     * @param trusted whether the sender may speak for others, as the owner may
     */
    public Credentials stamp(Credentials claimed, boolean trusted) {
        if (!trusted) {
            return this;
        }
        return new Credentials(
                claimed.userid == USERID_UNKNOWN ? userid : claimed.userid,
                claimed.rolemask == 0 ? rolemask : claimed.rolemask);
    }

    /** Returns text such as {@code 1000(owner,local)}, with unknown role bits in hexadecimal. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(userid == USERID_UNKNOWN ? "unset" : Integer.toUnsignedString(userid));
        char separator = '(';
        separator = append(text, separator, OWNER, "owner");
        separator = append(text, separator, USER, "user");
        separator = append(text, separator, LOCAL, "local");
        separator = append(text, separator, ADMIN, "admin");
        int unknown = rolemask & ~(OWNER | USER | LOCAL | ADMIN);
        if (unknown != 0) {
            text.append(separator).append("0x").append(Integer.toHexString(unknown));
        }
        return rolemask == 0 ? text.toString() : text.append(')').toString();
    }

    private char append(StringBuilder text, char separator, int role, String name) {
        if (!has(role)) {
            return separator;
        }
        text.append(separator).append(name);
        return ',';
    }
}
