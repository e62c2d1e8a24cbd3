package io.muster.protocol.wire;

/**
 * The part of the RFC 3 header that all types of message have.
 *
 * @param flags the flags octet without the three bits for the parts of the message (topic, payload, route), which follow
 *     from the message. Unknown bits are kept.
 */
public record Header(int flags, Credentials credentials) {
    /** Flag: the sender of the request wants no response. */
    public static final int NORESPONSE = 0x04;

    /** Flag: the request goes to a rank upstream of the sender. */
    public static final int UPSTREAM = 0x10;

    /** Flag: only the sender of the event and the owner may receive the event. */
    public static final int PRIVATE = 0x20;

    /** Flag: the message belongs to a streaming RPC (RFC 6). */
    public static final int STREAMING = 0x40;

    public static final int USER1 = 0x80;

    static final int TOPIC = 0x01;
    static final int PAYLOAD = 0x02;
    static final int ROUTE = 0x08;
    static final int PARTS = TOPIC | PAYLOAD | ROUTE;

    /** A header without flags, with credentials that the server fills in. */
    public static final Header UNSET = new Header(0, Credentials.UNSET);

    private static final Header UNSET_STREAMING = new Header(STREAMING, Credentials.UNSET);
    private static final Header UNSET_NORESPONSE = new Header(NORESPONSE, Credentials.UNSET);

    public Header {
        if ((flags & PARTS) != 0 || flags >>> 8 != 0) {
            throw new IllegalArgumentException("flags 0x" + Integer.toHexString(flags) + ": not settable");
        }
    }

    /** Returns the header that a client sends: these flags, and credentials that the server fills in. */
    public static Header flags(int flags) {
        return switch (flags) {
            case 0 -> UNSET;
            case STREAMING -> UNSET_STREAMING;
            case NORESPONSE -> UNSET_NORESPONSE;
            default -> new Header(flags, Credentials.UNSET);
        };
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    public Header with(Credentials other) {
        return credentials.equals(other) ? this : new Header(flags, other);
    }
}
