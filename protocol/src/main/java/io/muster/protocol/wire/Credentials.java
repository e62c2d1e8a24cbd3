package io.muster.protocol.wire;

/**
 * Who sent a message and what it may do: RFC 12 "Credential", carried in every RFC 3 header. Both numbers are unsigned.
 *
 * @param userid POSIX user id, or {@link #USERID_UNKNOWN}
 * @param rolemask a set of {@link #OWNER}, {@link #USER}, {@link #LOCAL}, {@link #ADMIN}; unknown bits are kept
 */
public record Credentials(int userid, int rolemask) {
    public static final int USERID_UNKNOWN = 0xffffffff;

    /** The instance owner: may do everything. */
    public static final int OWNER = 1;

    /** A guest. */
    public static final int USER = 2;

    /** Attached to this host; not a capability of the user. */
    public static final int LOCAL = 4;

    /** A guest who may administer. */
    public static final int ADMIN = 8;

    /** What a client sends when it leaves both to the server. */
    public static final Credentials UNSET = new Credentials(USERID_UNKNOWN, 0);

    public boolean isOwner() {
        return has(OWNER);
    }

    /** Whether any of these roles is held. */
    public boolean has(int roles) {
        return (rolemask & roles) != 0;
    }

    /** RFC 12 "Service Security Policy": one of the allowed roles, or the owner's. */
    public boolean mayUse(int allowedRoles) {
        return has(allowedRoles | OWNER);
    }

    /**
     * RFC 12 "Credential Assignment", seen from the connection whose credentials these are: what a message that came
     * over it counts as. A guest's messages carry the guest's credentials whatever they claim. The owner's claims pass,
     * so that a router can vouch for others and a test can play guest; what the owner left unset is filled in, each half
     * by itself, as flux-core does.
     */
    public Credentials stamp(Credentials claimed) {
        if (!isOwner()) {
            return this;
        }
        return new Credentials(
                claimed.userid == USERID_UNKNOWN ? userid : claimed.userid,
                claimed.rolemask == 0 ? rolemask : claimed.rolemask);
    }

    /** {@code 1000(owner,local)}; unknown role bits in hexadecimal. */
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
