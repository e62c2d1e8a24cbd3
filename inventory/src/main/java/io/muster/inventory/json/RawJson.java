package io.muster.inventory.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.node.POJONode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value that is kept as its text, without blanks: a tree of Jackson's nodes takes more than ten times the memory of the text,
 * which is too much for a scheduler's graph of thousands of hosts. Two values are equal if their texts are. In a tree, the value
 * stands as a node of its own kind ({@link #node}), which is written as the text.
 */
public final class RawJson extends JsonSerializable.Base {
    private static final int CHUNK = 8192;

    private final JsonNode outline;
    private volatile List<byte[]> utf8;

    /** @param utf8 the text in pieces, which are never changed again */
    RawJson(JsonNode outline, List<byte[]> utf8) {
        this.outline = outline;
        this.utf8 = utf8;
    }

    /** Returns the value of a tree. The tree is not used again. */
    public static RawJson of(JsonNode tree) {
        RawJson raw = in(tree);
        return raw == null ? StrictJson.pack(tree) : raw;
    }

    /** Returns the value for which a node stands, or null if the node is of another kind. */
    public static @Nullable RawJson in(JsonNode node) {
        return node instanceof POJONode pojo && pojo.getPojo() instanceof RawJson raw ? raw : null;
    }

    /** Returns the node that stands for this value in a tree. */
    public JsonNode node() {
        return new POJONode(this);
    }

    /** Returns the value as a tree in which the members of the object are empty if they are objects or arrays. It must not be changed. */
    public JsonNode outline() {
        return outline;
    }

    /** Returns the value as a tree that belongs to the caller. */
    public JsonNode tree() {
        return StrictJson.unpack(stream());
    }

    /** Returns the item of an array to write in place of another one, or null to leave the item out. May change the item. */
    @FunctionalInterface
    public interface Edit {
        @Nullable
        JsonNode of(JsonNode item);
    }

    /**
     * Returns this value with other items in its arrays.
     *
     * @param edits what becomes of the items, by the JSON pointer of the array
     */
    public RawJson edited(Map<String, Edit> edits) {
        return StrictJson.repack(stream(), edits);
    }

    /** Returns the text as UTF-8. */
    public InputStream stream() {
        return new SequenceInputStream(Collections.enumeration(
                utf8.stream().map(ByteArrayInputStream::new).toList()));
    }

    @Override
    public void serialize(JsonGenerator out, @Nullable SerializerProvider unused) throws IOException {
        out.writeRawValue(""); // the generator writes the separator between this value and the previous one
        if (out.getOutputTarget() instanceof Pieces pieces) {
            out.flush();
            utf8.forEach(pieces::share);
            return;
        }
        Reader in = new InputStreamReader(stream(), UTF_8);
        char[] chunk = new char[CHUNK];
        for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
            out.writeRaw(chunk, 0, count);
        }
    }

    @Override
    public void serializeWithType(JsonGenerator out, SerializerProvider provider, TypeSerializer unused)
            throws IOException {
        serialize(out, provider);
    }

    /**
     * Compares the texts. After the comparison, equal values share the bytes of one of them, because R is read again whenever
     * the configuration is.
     */
    @Override
    public boolean equals(@Nullable Object o) {
        if (!(o instanceof RawJson that)) {
            return false;
        }
        List<byte[]> theirs = that.utf8;
        boolean same = size() == that.size() && hasTextOf(that);
        if (same) {
            utf8 = theirs;
        }
        return same;
    }

    private boolean hasTextOf(RawJson that) {
        try (InputStream mine = stream();
                InputStream theirs = that.stream()) {
            byte[] next = mine.readNBytes(CHUNK);
            while (next.length > 0 && Arrays.equals(next, theirs.readNBytes(CHUNK))) {
                next = mine.readNBytes(CHUNK);
            }
            return next.length == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int size() {
        return utf8.stream().mapToInt(piece -> piece.length).sum();
    }

    @Override
    public int hashCode() {
        return size();
    }

    /** Returns the text. */
    @Override
    public String toString() {
        Pieces whole = new Pieces();
        utf8.forEach(whole::share);
        return new String(whole.toByteArray(), UTF_8);
    }
}
