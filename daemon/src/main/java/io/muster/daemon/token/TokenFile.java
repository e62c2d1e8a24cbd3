package io.muster.daemon.token;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.disk.Disk;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.json.Fields;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The file {@code tokens} in a state directory, which the command writes and the daemon reads, and the file {@code
 * tokens.used}, which the daemon writes and the command reads. Both are for their owner only. Each write makes a new file
 * that takes the place of the earlier one.
 */
public final class TokenFile {
    public static final String NAME = "tokens";
    private static final String USED = "tokens.used";
    private static final String LOCK = "tokens.lock";

    /** The highest number of tokens. */
    public static final int MOST = 1000;

    private static final int LARGEST = 1 << 20;

    private final Disk disk;

    public TokenFile(Disk disk) {
        this.disk = disk;
    }

    public String where() {
        return disk.where() + "/" + NAME;
    }

    /**
     * Returns all tokens, also those that have expired; none if there is no file.
     *
     * @throws InvalidException naming the place, if the file is something else
     */
    public List<Token> read() throws IOException {
        return parse(bytes());
    }

    byte[] bytes() throws IOException {
        return bytes(NAME);
    }

    private byte[] bytes(String name) throws IOException {
        try (Disk.File file = disk.open(name, Disk.Access.READ)) {
            if (file.size() > LARGEST) {
                throw new IOException(disk.where() + "/" + name + ": has more than " + LARGEST + " bytes");
            }
            ByteBuffer buffer = ByteBuffer.allocate((int) file.size());
            file.read(buffer, 0);
            return buffer.array();
        } catch (NoSuchFileException none) {
            return new byte[0];
        }
    }

    /** @throws InvalidException naming the place, if the text is something else */
    List<Token> parse(byte[] text) {
        if (text.length == 0) {
            return List.of();
        }
        Problems problems = new Problems();
        JsonNode json = StrictJson.read(text, problems);
        problems.throwIfAny(where());
        Fields in = Fields.of(where(), json == null ? JsonNodeFactory.instance.missingNode() : json);
        in.integer("version", 1, 1);
        List<Token> tokens = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Fields each : in.list("tokens")) {
            Token token = Token.read(each);
            if (!names.add(token.name())) {
                throw each.fault("name", "is the name of an earlier token");
            }
            tokens.add(token);
        }
        if (tokens.size() > MOST) {
            throw in.fault("tokens", "has " + tokens.size() + " tokens, but may have at most " + MOST);
        }
        return tokens;
    }

    /**
     * Replaces the tokens.
     *
     * @param edit returns the tokens to write; an exception from it leaves the file as it is
     * @return false if another process is changing the file
     */
    public boolean edit(UnaryOperator<List<Token>> edit) throws IOException {
        try (Closeable alone = disk.alone(LOCK)) {
            if (alone == null) {
                return false;
            }
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("version", 1);
            json.putArray("tokens")
                    .addAll(edit.apply(read()).stream().map(Token::toJson).toList());
            // One token on each line, for grep and diff.
            write(NAME, json.toString().replace("{\"name\":", "\n{\"name\":"));
            return true;
        }
    }

    /** Returns when each token was last used, by its digest. The result is empty if the file cannot be read. */
    public Map<String, Double> used() {
        Map<String, Double> used = new HashMap<>();
        try {
            JsonNode json = StrictJson.read(bytes(USED), new Problems());
            if (json != null) {
                json.properties()
                        .forEach(each -> used.put(each.getKey(), each.getValue().asDouble()));
            }
        } catch (IOException e) {
            used.clear();
        }
        return used;
    }

    void used(Map<String, Double> used) throws IOException {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        used.forEach((digest, time) -> json.set(digest, Epoch.number(time)));
        write(USED, json.toString());
    }

    private void write(String name, String text) throws IOException {
        String fresh = name + ".new";
        try (Disk.File file = disk.open(fresh, Disk.Access.CREATE)) {
            file.write(ByteBuffer.wrap((text + "\n").getBytes(UTF_8)), 0);
            file.force(true);
        }
        disk.rename(fresh, name);
        disk.forceDirectory("");
    }
}
