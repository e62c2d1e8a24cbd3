package io.muster.protocol.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes a message as a sequence of parts, the body of a frame (RFC 3 "Common Message Format", "Message Framing").
 *
 * <pre>
 * part    = length data
 * length  = 00..FE                         for 0 to 254 bytes
 *         / FF len32                       for 255 bytes and more, big-endian
 * body    = [ *route delimiter ] [ topic ] [ payload ] header
 * header  = 14 8E 01 type flags userid rolemask word3 word4      ; the part's length (20), then 4 octets and 4 integers
 * </pre>
 *
 * Writing and reading are side by side in this file, in the order of the body. The parts must agree with the flags to the byte.
 * Where deployed peers deviate from the RFC, the reader accepts both forms: a topic or route may end in a NUL or not; a request
 * without the delimiter counts as a request without hops; routes of events, which flux-core adds and which mean nothing to a
 * subscriber, are dropped; and a long length may contain a short number.
 */
final class Parts {
    /** The size of the header as a part: its length octet and 20 bytes. */
    static final int HEADER_PART = 21;

    private static final int HEADER_LENGTH = 20;
    private static final int MAGIC = 0x8e;
    private static final int VERSION = 1;
    private static final int LONG = 0xff;

    /** The character to which malformed UTF-8 is decoded. */
    private static final char MALFORMED = '\ufffd';

    /**
     * The highest number of routes in a message: far more hops than any instance is deep. The limit bounds the memory for a
     * frame that is full of one-byte routes.
     */
    private static final int MAX_ROUTES = 1024;

    private final byte[] body;
    private final int end;
    private int at;

    private Parts(byte[] body) {
        this.body = body;
        this.end = body.length;
    }

    // ---- size of a message

    static int size(Message message, Dialect dialect) {
        Bytes payload = message.payload();
        long size = sizeBeforePayload(message, dialect) + HEADER_PART;
        if (payload != null) {
            size += lengthSize(payload.length()) + (long) payload.length();
        }
        return Math.toIntExact(size);
    }

    private static long sizeBeforePayload(Message message, Dialect dialect) {
        long size = 0;
        if ((message.type().parts & Header.ROUTE) != 0) {
            size = 1;
            List<String> routes = message.routes();
            for (int i = 0; i < routes.size(); i++) {
                size += textSize(routes.get(i), dialect);
            }
        }
        String topic = message.topic();
        return topic == null ? size : size + textSize(topic, dialect);
    }

    private static long textSize(String text, Dialect dialect) {
        int length = utf8Length(text) + dialect.terminator;
        return lengthSize(length) + (long) length;
    }

    private static int lengthSize(int length) {
        return length < LONG ? 1 : 5;
    }

    // ---- writing and reading a message

    /** Writes everything up to and including the length of the payload. */
    static void writeBeforePayload(Message message, Dialect dialect, ByteBuffer out) {
        if ((message.type().parts & Header.ROUTE) != 0) {
            writeRoutes(message.routes(), dialect, out);
        }
        String topic = message.topic();
        if (topic != null) {
            writeText(topic, dialect, out);
        }
        Bytes payload = message.payload();
        if (payload != null) {
            writeLength(payload.length(), out);
        }
    }

    /** Writes everything after the payload's last byte. */
    static void writeAfterPayload(Message message, ByteBuffer out) {
        Header header = message.header();
        int parts = message.type().parts | (message.payload() == null ? 0 : Header.PAYLOAD);
        out.put((byte) HEADER_LENGTH);
        out.put((byte) MAGIC).put((byte) VERSION);
        out.put((byte) message.type().code).put((byte) (header.flags() | parts));
        out.putInt(header.credentials().userid());
        out.putInt(header.credentials().rolemask());
        out.putInt(message.word3());
        out.putInt(message.word4());
    }

    /** Reads the message that fills a body. The message refers to the payload in the body without copying it. */
    static Message read(byte[] body) throws ProtocolException {
        return new Parts(body).readMessage();
    }

    private Message readMessage() throws ProtocolException {
        int header = checkHeader();
        Message.Type type = type(body[header + 2] & 0xff);
        int flags = body[header + 3] & 0xff;
        checkControl(type, flags);
        List<String> routes = (flags & Header.ROUTE) != 0 ? readRoutes() : List.of();
        String topic = (flags & Header.TOPIC) != 0 ? readText("topic") : null;
        Bytes payload = (flags & Header.PAYLOAD) != 0 ? readPayload() : null;
        if (at != header - 1) {
            throw new ProtocolException((header - 1 - at) + " bytes between the message's parts and its header");
        }
        Header read = new Header(flags & ~Header.PARTS, new Credentials(integer(header + 4), integer(header + 8)));
        return message(type, read, routes, topic, payload);
    }

    private Message message(
            Message.Type type, Header header, List<String> routes, @Nullable String topic, @Nullable Bytes payload)
            throws ProtocolException {
        int word3 = integer(end - 8);
        int word4 = integer(end - 4);
        if (type == Message.Type.CONTROL) {
            return new Control(header, word3, word4);
        }
        if (topic == null) {
            throw new ProtocolException("message of type " + type.code + " without a topic");
        }
        return switch (type) {
            case REQUEST -> new Request(header, routes, topic, payload, word3, word4);
            case RESPONSE -> new Response(header, routes, topic, payload, word3, word4);
            default -> new EventMessage(header, topic, payload, word3);
        };
    }

    // ---- the header

    /**
     * Checks the header and returns the index of its data. The header has a fixed length and is the last part, so it is
     * found from the end.
     */
    private int checkHeader() throws ProtocolException {
        int start = end - HEADER_LENGTH;
        if (start < 1 || body[start - 1] != HEADER_LENGTH) {
            throw new ProtocolException("message of " + end + " bytes does not end in a header of " + HEADER_LENGTH);
        }
        if ((body[start] & 0xff) != MAGIC || body[start + 1] != VERSION) {
            throw new ProtocolException("message header starts with " + hex(body[start]) + " " + hex(body[start + 1])
                    + " where 8e 01 is right");
        }
        return start;
    }

    private static Message.Type type(int code) throws ProtocolException {
        Message.Type type = Message.Type.ofCode(code);
        if (type == null) {
            throw new ProtocolException("message type " + code + " is none of 1, 2, 4, 8");
        }
        return type;
    }

    private static void checkControl(Message.Type type, int flags) throws ProtocolException {
        if (type == Message.Type.CONTROL && (flags & Header.PARTS) != 0) {
            throw new ProtocolException("control message with a route, topic or payload");
        }
    }

    private int integer(int index) {
        return ((body[index] & 0xff) << 24)
                | ((body[index + 1] & 0xff) << 16)
                | ((body[index + 2] & 0xff) << 8)
                | (body[index + 3] & 0xff);
    }

    // ---- routes and their delimiter

    private static void writeRoutes(List<String> routes, Dialect dialect, ByteBuffer out) {
        for (int i = 0; i < routes.size(); i++) {
            writeText(routes.get(i), dialect, out);
        }
        writeLength(0, out);
    }

    private List<String> readRoutes() throws ProtocolException {
        if (at < end && body[at] == 0) {
            at++;
            return List.of();
        }
        List<String> routes = new ArrayList<>();
        while (!atDelimiter()) {
            String route = readText("route");
            if (route.isEmpty() || routes.size() == MAX_ROUTES) {
                throw new ProtocolException("an empty route, or more than " + MAX_ROUTES);
            }
            routes.add(route);
        }
        return routes;
    }

    private boolean atDelimiter() throws ProtocolException {
        if (at >= end - HEADER_PART) {
            throw new ProtocolException("routes without a delimiter after them");
        }
        if (body[at] != 0) {
            return false;
        }
        at++;
        return true;
    }

    // ---- topics and routes

    private static void writeText(String text, Dialect dialect, ByteBuffer out) {
        int length = utf8Length(text);
        writeLength(length + dialect.terminator, out);
        if (length == text.length()) {
            for (int i = 0; i < length; i++) {
                out.put((byte) text.charAt(i));
            }
        } else {
            out.put(text.getBytes(UTF_8));
        }
        if (dialect.terminator > 0) {
            out.put((byte) 0);
        }
    }

    private String readText(String what) throws ProtocolException {
        int length = readLength(what);
        int start = at;
        at += length;
        int textLength = length > 0 && body[at - 1] == 0 ? length - 1 : length;
        String text = new String(body, start, textLength, UTF_8);
        if (text.indexOf(0) >= 0 || text.indexOf(MALFORMED) >= 0) {
            throw new ProtocolException(what + " with a NUL inside or malformed UTF-8");
        }
        return text;
    }

    private static int utf8Length(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return text.getBytes(UTF_8).length;
            }
        }
        return text.length();
    }

    /** Checks text before it is written: refuses text that {@link #readText} would refuse. */
    static void check(String what, String text) {
        if (text.indexOf(0) >= 0 || text.indexOf(MALFORMED) >= 0) {
            throw new IllegalArgumentException(what + " has a NUL or a U+FFFD in it");
        }
    }

    static List<String> checkRoutes(List<String> routes) {
        if (routes.isEmpty()) {
            return List.of();
        }
        if (routes.size() > MAX_ROUTES) {
            throw new IllegalArgumentException("more than " + MAX_ROUTES + " routes");
        }
        for (String route : routes) {
            check("route", route);
            if (route.isEmpty()) {
                throw new IllegalArgumentException("an empty route would be the delimiter");
            }
        }
        return List.copyOf(routes);
    }

    // ---- payload

    private Bytes readPayload() throws ProtocolException {
        int length = readLength("payload");
        Bytes payload = Bytes.wrap(body, at, length);
        at += length;
        return payload;
    }

    // ---- length of a part

    private static void writeLength(int length, ByteBuffer out) {
        if (length < LONG) {
            out.put((byte) length);
        } else {
            out.put((byte) LONG).putInt(length);
        }
    }

    /** Reads a length and checks it against the number of bytes that are left before the header. */
    private int readLength(String what) throws ProtocolException {
        int last = end - HEADER_PART;
        if (at >= last) {
            throw new ProtocolException("message ends before its " + what);
        }
        long length = body[at++] & 0xff;
        if (length == LONG) {
            length = readLongLength(what, last);
        }
        if (length > last - at) {
            throw new ProtocolException(what + " of " + length + " bytes where " + (last - at) + " are left");
        }
        return (int) length;
    }

    private long readLongLength(String what, int last) throws ProtocolException {
        if (last - at < 4) {
            throw new ProtocolException("message ends in the length of its " + what);
        }
        long length = Integer.toUnsignedLong(integer(at));
        at += 4;
        return length;
    }

    private static String hex(byte value) {
        return Integer.toHexString((value & 0xff) | 0x100).substring(1);
    }
}
