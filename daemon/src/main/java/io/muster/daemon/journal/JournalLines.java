package io.muster.daemon.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The lines of events that become durable together, in the form of a segment, for a ledger that keeps them elsewhere. */
public final class JournalLines {
    private JournalLines() {}

    /** Returns how many bytes {@link #encode} needs for an event at most. */
    public static int room(byte[] event) {
        return Line.room(event);
    }

    /**
     * Returns the lines of some commands.
     *
     * @param first the seq of the first event
     * @param commands the events of each command, as in {@link io.muster.daemon.ledger.Batch}
     */
    public static byte[] encode(long first, List<List<byte[]>> commands) {
        int room = 0;
        for (List<byte[]> command : commands) {
            for (byte[] event : command) {
                room = Math.addExact(room, Line.room(event));
            }
        }
        ByteBuffer out = ByteBuffer.allocate(room);
        long seq = first;
        for (List<byte[]> command : commands) {
            int more = command.size();
            for (byte[] event : command) {
                Line.encode(out, seq++, first - 1, --more, event);
            }
        }
        return bytes(out);
    }

    /** Returns one line that holds a JSON object of the caller. */
    public static byte[] line(String json) {
        ByteBuffer out = ByteBuffer.allocate(Line.PREFIX + json.getBytes(StandardCharsets.UTF_8).length + 1);
        Line.encode(out, json);
        return bytes(out);
    }

    private static byte[] bytes(ByteBuffer out) {
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    /** Returns the index of the newline that ends the first line, after checking the line. */
    public static int endOfLine(byte[] bytes, int from) throws IOException {
        int end = from;
        while (end < bytes.length && bytes[end] != '\n') {
            end++;
        }
        if (end == bytes.length || !Line.intact(bytes, from, end)) {
            throw new IOException("the line at byte " + from + " is damaged");
        }
        return end;
    }

    /** Returns the JSON of the line that ends at {@code end}, where {@link #endOfLine} found the newline. */
    public static String json(byte[] bytes, int from, int end) {
        int json = from + Line.PREFIX;
        return new String(bytes, json, end - json, StandardCharsets.UTF_8);
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @return the events of each command
     * @throws IOException whose message says what is wrong
     */
    public static List<List<JournalRecord>> parse(byte[] bytes, int from, long first) throws IOException {
        List<List<JournalRecord>> commands = new ArrayList<>();
        List<JournalRecord> command = new ArrayList<>();
        long seq = first;
        int open = 0;
        for (int at = from; at < bytes.length; ) {
            int end = endOfLine(bytes, at);
            JournalRecord record = JournalRecord.parse(bytes, at + Line.PREFIX, end - at - Line.PREFIX);
            if (record.seq() != seq++ || (open > 0 && record.more() != open - 1)) {
                throw new IOException("seq " + record.seq() + " is not in its place");
            }
            open = record.more();
            command.add(record);
            if (open == 0) {
                commands.add(command);
                command = new ArrayList<>();
            }
            at = end + 1;
        }
        if (open > 0) {
            throw new IOException("the last command is not complete");
        }
        return commands;
    }
}
