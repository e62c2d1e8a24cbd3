package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The base data of one resource pool (RFC 4).
 *
 * @param id number that follows the basename in the default name; -1 if there is none
 * @param more further keys of the pool, kept unchanged: uuid, exclusive, status and the keys of other programs
 */
public record Pool(PoolKind kind, long id, String name, Map<String, JsonNode> more) {
    public static final long NO_ID = -1;

    public Pool {
        more = more.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(more));
    }

    /** Returns a pool with RFC 4's default name. */
    public static Pool of(PoolKind kind, long id) {
        return new Pool(kind, id, defaultName(kind, id), Map.of());
    }

    static String defaultName(PoolKind kind, long id) {
        return id == NO_ID ? kind.basename() : kind.basename() + id;
    }

    public String type() {
        return kind.type();
    }

    public long size() {
        return kind.size();
    }

    public String unit() {
        return kind.unit();
    }

    public SortedMap<String, String> properties() {
        return kind.properties();
    }

    /** Returns the uuid from the document. If there is none, returns a uuid that depends only on {@code path}. */
    public String uuid(String path) {
        @Nullable JsonNode given = more.get("uuid");
        return given != null && given.isTextual() ? given.textValue() : uuidOf(path);
    }

    static String uuidOf(String path) {
        return UUID.nameUUIDFromBytes(path.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
