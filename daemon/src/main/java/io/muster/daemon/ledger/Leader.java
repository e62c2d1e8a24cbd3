package io.muster.daemon.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a daemon presents itself in {@code leader} and {@code member/}.
 *
 * @param member the id of the daemon in the configuration
 * @param boot a random text that identifies this run of the daemon
 * @param uris where clients connect to the daemon
 * @param level the newest format level that the daemon reads
 */
public record Leader(String member, String boot, String host, long pid, List<String> uris, String version, int level) {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    public String toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("member", member).put("boot", boot).put("host", host).put("pid", pid);
        uris.forEach(json.putArray("uris")::add);
        return json.put("version", version).put("level", level).toString();
    }

    /** Returns the description of this daemon for programs and people. */
    public ObjectNode described(boolean leads) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("name", member).put("host", host).put("pid", pid);
        uris.forEach(json.putArray("uris")::add);
        return json.put("version", version).put("level", level).put("leads", leads);
    }

    /** Reads what {@link #toJson} writes. Fields that another version left out are empty. */
    public static Leader parse(String text) {
        JsonNode json = JsonNodeFactory.instance.objectNode();
        try {
            json = JSON.readTree(text);
        } catch (JsonProcessingException e) {
            // a value that was written by hand names no daemon
        }
        List<String> uris = new ArrayList<>();
        json.path("uris").forEach(uri -> uris.add(uri.asText()));
        return new Leader(
                json.path("member").asText("?"),
                json.path("boot").asText(),
                json.path("host").asText("?"),
                json.path("pid").asLong(),
                uris,
                json.path("version").asText(),
                json.path("level").asInt());
    }

    /** Whether {@code other} is the same run of the same daemon. */
    public boolean isSame(@Nullable Leader other) {
        return other != null && boot.equals(other.boot);
    }

    /** {@code node2 (ssh://node2/run/muster/muster.sock)}. */
    @Override
    public String toString() {
        return member + (uris.isEmpty() ? "" : " (" + String.join(", ", uris) + ")");
    }
}
