package io.muster.protocol.wire;

import org.jspecify.annotations.Nullable;

/**
 * Writes the wire trace, one line for each message.
 *
 * <pre>
 * &lt; ada(1000):4211 request resource.drain tag=7 node=any from=unset {"targets":"3","reason":"fan"}
 * &gt; ada(1000):4211 response resource.drain tag=7 errnum=17 from=0(owner,local) rank 3 already drained: node3
 * </pre>
 *
 * Payloads are shown unchanged, except for the only one that carries a secret: the response to {@code resource.web} has a token.
 * A peer is identified by its socket credentials, and no password and no private key is sent. The trace shows every user's
 * requests, and every reason that an administrator wrote.
 */
public final class WireTrace {
    /** The number of characters of a payload that are shown, enough for an update but not for an inventory. */
    private static final int SHOWN = 400;

    /** The topic whose response has a token. */
    private static final String WITH_TOKEN = "resource.web";

    private WireTrace() {}

    /**
     * Returns the line for a received message.
     *
     * @param peer a name for the peer: its user and process id, or the path of the socket
     */
    public static String received(String peer, Message message) {
        return line('<', peer, message);
    }

    /**
     * Returns the line for a sent message.
     *
     * @param peer a name for the peer: its user and process id, or the path of the socket
     */
    public static String sent(String peer, Message message) {
        return line('>', peer, message);
    }

    private static String line(char direction, String peer, Message message) {
        StringBuilder line = new StringBuilder(160);
        line.append(direction).append(' ').append(peer).append(' ').append(name(message.type()));
        String topic = message.topic();
        if (topic != null) {
            line.append(' ');
            appendText(line, topic, topic.length());
        }
        appendWords(line, message);
        line.append(" from=").append(message.header().credentials());
        appendFlags(line, message.header());
        appendRoutes(line, message);
        if (isSecret(message)) {
            line.append(" (not shown: a token)");
        } else {
            appendPayload(line, message.payload());
        }
        return line.toString();
    }

    private static boolean isSecret(Message message) {
        return message.type() == Message.Type.RESPONSE && WITH_TOKEN.equals(message.topic()) && message.word3() == 0;
    }

    private static String name(Message.Type type) {
        return switch (type) {
            case REQUEST -> "request";
            case RESPONSE -> "response";
            case EVENT -> "event";
            case CONTROL -> "control";
        };
    }

    private static void appendWords(StringBuilder line, Message message) {
        switch (message.type()) {
            case REQUEST -> {
                appendTag(line, message);
                int node = message.word3();
                line.append(" node=").append(node == Request.NODEID_ANY ? "any" : Integer.toUnsignedString(node));
            }
            case RESPONSE -> {
                appendTag(line, message);
                line.append(message.word3() == 0 ? "" : " errnum=" + message.word3());
            }
            case EVENT -> line.append(" seq=").append(Integer.toUnsignedString(message.word3()));
            case CONTROL -> line.append(' ').append(message.word3()).append(' ').append(message.word4());
        }
    }

    private static void appendTag(StringBuilder line, Message message) {
        line.append(" tag=").append(Integer.toUnsignedString(message.word4()));
    }

    private static void appendFlags(StringBuilder line, Header header) {
        line.append(header.has(Header.NORESPONSE) ? " noresponse" : "");
        line.append(header.has(Header.UPSTREAM) ? " upstream" : "");
        line.append(header.has(Header.PRIVATE) ? " private" : "");
        line.append(header.has(Header.STREAMING) ? " streaming" : "");
        line.append(header.has(Header.USER1) ? " user1" : "");
    }

    private static void appendRoutes(StringBuilder line, Message message) {
        for (int i = 0; i < message.routes().size(); i++) {
            String route = message.routes().get(i);
            line.append(i == 0 ? " via=" : "!");
            appendText(line, route, route.length());
        }
    }

    private static void appendPayload(StringBuilder line, @Nullable Bytes payload) {
        if (payload == null) {
            return;
        }
        line.append(' ');
        appendText(line, payload.first(SHOWN).text(), SHOWN);
        if (payload.length() > SHOWN) {
            line.append("... (").append(payload.length()).append(" bytes)");
        }
    }

    /**
     * Appends text from the peer. Control characters are escaped, so that the text stays on its line and cannot control the
     * terminal.
     */
    private static void appendText(StringBuilder line, String text, int length) {
        for (int i = 0; i < text.length() && i < length; i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) || c == 0x2028 || c == 0x2029 || Character.getType(c) == Character.FORMAT) {
                line.append("\\u").append(Integer.toHexString(c | 0x10000), 1, 5);
            } else {
                line.append(c);
            }
        }
    }
}
