package io.muster.inventory.state;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/**
 * The id that a client gave to a request for a change, so that the same request, sent again, is not a second change.
 *
 * @param request digest of the request, which tells whether another request has the same id
 */
public record ChangeId(UUID id, String request) {
    private static final int DIGEST_BYTES = 8;

    /** @param request the text of the whole request, without its id */
    public static ChangeId of(UUID id, String request) {
        return new ChangeId(id, HexFormat.of().formatHex(digest(request), 0, DIGEST_BYTES));
    }

    /** Returns an id that stands for this id of a person without a uid. */
    static UUID ofNamed(String name, UUID id) {
        return digested(name + '\n' + id);
    }

    /** Returns the UUID that a text is, or one that stands for any other text. */
    public static UUID ofText(String text) {
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            return digested(text);
        }
    }

    private static UUID digested(String text) {
        ByteBuffer digest = ByteBuffer.wrap(digest(text));
        return new UUID(digest.getLong(), digest.getLong());
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Reads the usual form of a UUID, 36 characters.
     *
     * @throws IllegalArgumentException if the text is not of this form
     */
    public static UUID parse(String text) {
        UUID id = UUID.fromString(text);
        if (!id.toString().equalsIgnoreCase(text)) {
            throw new IllegalArgumentException("not 36 characters");
        }
        return id;
    }
}
