package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.JournalLines;
import io.muster.daemon.journal.JournalRecord;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The events of one transaction.
 *
 * <p>A value below {@code log/} begins with a line that is a JSON object: {@code first} and {@code last} seq, {@code txn}, the id of the
 * transaction before as {@code prev}, {@code level} and {@code needs}, and {@code packed}, the size of the lines if they are deflated. The
 * lines follow, or are in as many pieces as {@code parts} says.
 *
 * @param level the format level in which the events are written
 * @param parts the number of pieces below {@code part/}; 0 if {@code body} holds the lines
 * @param packed the size of the lines before they were deflated; 0 if they are not deflated
 * @param bodies the lines as they are kept in etcd, as one element
 */
record EventGroup(
        long first, long last, String txn, String previous, Level level, int parts, int packed, List<byte[]> bodies) {
    /** Longer lines are deflated, which costs less than what etcd does for the bytes: base64, and a copy to each member. */
    private static final int PACKED_FROM = 4 << 10;
    /** The length of the longest group that is read. */
    private static final int LONGEST = 1 << 30;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** @param lines what {@link JournalLines#encode} returns */
    static EventGroup of(long first, long last, String txn, String previous, Level level, byte[] lines) {
        boolean isLong = lines.length > PACKED_FROM;
        byte[] body = isLong ? Pack.deflate(lines) : lines;
        int parts = body.length > Pack.PIECE ? (body.length + Pack.PIECE - 1) / Pack.PIECE : 0;
        return new EventGroup(first, last, txn, previous, level, parts, isLong ? lines.length : 0, List.of(body));
    }

    byte[] body() {
        return bodies.get(0);
    }

    /** The value below {@code log/}. */
    byte[] value() {
        ObjectNode head = JsonNodeFactory.instance.objectNode();
        head.put("first", first).put("last", last).put("txn", txn).put("prev", previous);
        head.put("level", level.number()).put("needs", level.needs());
        if (parts > 0) {
            head.put("parts", parts);
        }
        if (packed > 0) {
            head.put("packed", packed);
        }
        byte[] line = JournalLines.line(head.toString());
        if (parts > 0) {
            return line;
        }
        byte[] body = body();
        byte[] value = Arrays.copyOf(line, line.length + body.length);
        System.arraycopy(body, 0, value, line.length, body.length);
        return value;
    }

    /** Reads a value. If the group has parts, {@link #with} completes it. */
    static EventGroup parse(Etcd.Entry entry) throws ForeignException {
        byte[] value = entry.value();
        try {
            int end = JournalLines.endOfLine(value, 0);
            JsonNode head = JSON.readTree(JournalLines.json(value, 0, end));
            int level = head.path("level").asInt();
            if (!Level.isKnown(level)) {
                throw new ForeignException(entry.key() + " is written in "
                        + Level.unknown(level, head.path("needs").asText()));
            }
            EventGroup group = new EventGroup(
                    head.path("first").asLong(),
                    head.path("last").asLong(),
                    head.path("txn").asText(),
                    head.path("prev").asText(),
                    Level.of(level),
                    head.path("parts").asInt(),
                    head.path("packed").asInt(),
                    List.of(Arrays.copyOfRange(value, end + 1, value.length)));
            boolean inPlace = entry.key()
                    .endsWith(new Keys("").log(group.first)); // a value that was copied to another key is not the log
            if (!inPlace || group.last < group.first || group.packed < 0 || group.packed > LONGEST) {
                throw new IOException("its head does not fit");
            }
            return group;
        } catch (ForeignException e) {
            throw e;
        } catch (IOException e) {
            throw damaged(entry.key(), e);
        }
    }

    private static ForeignException damaged(String key, IOException why) {
        return new ForeignException(key + " in etcd is damaged: " + why.getMessage(), why);
    }

    EventGroup with(byte[] pieces) {
        return new EventGroup(first, last, txn, previous, level, 0, packed, List.of(pieces));
    }

    /** The events of each command. */
    List<List<JournalRecord>> commands() throws ForeignException {
        String key = new Keys("").log(first);
        try {
            byte[] lines = packed > 0 ? Pack.inflate(body(), packed) : body();
            List<List<JournalRecord>> commands = JournalLines.parse(lines, 0, first);
            List<JournalRecord> end = commands.isEmpty() ? List.of() : commands.get(commands.size() - 1);
            if (end.isEmpty() || end.get(end.size() - 1).seq() != last) {
                throw new IOException("its lines do not end with seq " + last);
            }
            return commands;
        } catch (IOException e) {
            throw damaged(key, e);
        }
    }

    /** The value of {@code head} after this group. */
    String head() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("seq", last)
                .put("txn", txn)
                .toString();
    }

    /** The last event of the ledger. */
    record Head(long seq, String txn, long revision) {
        static final Head NONE = new Head(0, "", 0);

        static Head parse(Etcd.Entry entry) throws ForeignException {
            try {
                JsonNode head = JSON.readTree(new String(entry.value(), StandardCharsets.UTF_8));
                return new Head(head.path("seq").asLong(), head.path("txn").asText(), entry.modRevision());
            } catch (IOException e) {
                throw damaged(entry.key(), e);
            }
        }
    }
}
