package io.muster.daemon.journal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.disk.Disk;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A snapshot: the state after one event, in a file of its own. The first line holds the checksum of everything after it. */
record SnapshotFile(Level level, long seq, double timestamp, ObjectNode state) {
    static final String FILE = "snapshot.json";
    static final String PREVIOUS = "snapshot.prev.json";

    private static final Pattern NAMES = Pattern.compile("snapshot\\.(json|prev\\.json|\\d{4,}-\\d\\d\\.json)");
    private static final DateTimeFormatter KEPT = DateTimeFormatter.ofPattern("'snapshot.'uuuu-MM'.json'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** The number of bytes at the beginning of the file that certainly contain everything before the state. */
    private static final int BEGINNING = 256;

    private static final Pattern BEGIN = Pattern.compile("\"seq\":(\\d{1,18}),\"timestamp\":(\\d{1,12}\\.\\d{6}),");
    private static final String STATE = "\"state\":";
    private static final String HEAD = "{\"crc32c\":\"";
    private static final int HEAD_LENGTH = HEAD.length() + 8 + "\",\n".length();

    /** The name of a snapshot's file, and the numbers before the state in it. */
    record Head(String name, long seq, double timestamp) {}

    /** The name of the snapshot that is kept for the history of a month. */
    static String kept(Instant time) {
        return KEPT.format(time);
    }

    /** The snapshots of the directory by their seq, among them the first one of each month. Unreadable files are left out. */
    static List<Head> list(Disk disk) throws IOException {
        List<Head> heads = new ArrayList<>();
        for (Disk.Entry entry : disk.list("")) {
            if (isSnapshot(entry.name())) {
                ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(BEGINNING, entry.size()));
                try (Disk.File file = disk.open(entry.name(), Disk.Access.READ)) {
                    file.read(buffer, 0);
                } catch (NoSuchFileException deleted) {
                    continue;
                }
                Matcher begin = BEGIN.matcher(new String(buffer.array(), StandardCharsets.ISO_8859_1));
                if (begin.find()) {
                    heads.add(
                            new Head(entry.name(), Long.parseLong(begin.group(1)), Double.parseDouble(begin.group(2))));
                }
            }
        }
        heads.sort(Comparator.comparingLong(Head::seq));
        return heads;
    }

    static boolean isSnapshot(String name) {
        return NAMES.matcher(name).matches();
    }

    /**
     * Reads a snapshot.
     *
     * @return the snapshot, or null if there is no such file
     */
    static @Nullable SnapshotFile read(Disk disk, String name) throws IOException {
        byte[] bytes = bytes(disk, name);
        return bytes == null ? null : parse(name, bytes, bytes);
    }

    /**
     * Reads the seq of a snapshot. The state, which may be large, is checked by the checksum and not parsed.
     *
     * @return 0 if there is no such file
     */
    static long readSeq(Disk disk, String name) throws IOException {
        byte[] bytes = bytes(disk, name);
        return bytes == null ? 0 : parse(name, bytes, withoutState(bytes)).seq();
    }

    private static byte[] withoutState(byte[] bytes) {
        String beginning = new String(bytes, 0, Math.min(BEGINNING, bytes.length), StandardCharsets.ISO_8859_1);
        int state = beginning.indexOf(STATE);
        return state < 0
                ? bytes
                : (beginning.substring(0, state) + STATE + "{}}").getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Returns whether the snapshot file is missing although there must have been one: a directory that never had a snapshot
     * has the journal from its first event.
     */
    static boolean isMissed(Disk disk) throws IOException {
        List<String> names = disk.list("").stream().map(Disk.Entry::name).toList();
        List<Segment> segments = Segment.list(disk);
        boolean begins = !segments.isEmpty() && segments.get(0).first() == 1;
        return !names.contains(FILE) && !begins && (names.contains(PREVIOUS) || !segments.isEmpty());
    }

    private static byte @Nullable [] bytes(Disk disk, String name) throws IOException {
        try (Disk.File file = disk.open(name, Disk.Access.READ)) {
            ByteBuffer buffer = ByteBuffer.allocate(Math.toIntExact(file.size()));
            file.read(buffer, 0);
            return buffer.array();
        } catch (NoSuchFileException none) {
            return null;
        }
    }

    /** @param json the bytes of the file, perhaps without the members of the state */
    private static SnapshotFile parse(String name, byte[] bytes, byte[] json) throws CorruptException {
        if (!intact(bytes)) {
            throw new CorruptException(name, 0, 0, "the checksum does not match");
        }
        try {
            ObjectNode whole = JournalRecord.object(json, 0, json.length);
            int level = whole.path("version").asInt();
            if (!Level.isKnown(level)) {
                String needs = whole.path("needs").asText();
                throw CorruptException.newer(name, "it is written in " + Level.unknown(level, needs));
            }
            if (!whole.path("seq").isIntegralNumber() || !(whole.path("state") instanceof ObjectNode)) {
                throw new IOException("without seq or state");
            }
            return new SnapshotFile(
                    Level.of(level),
                    whole.path("seq").longValue(),
                    whole.path("timestamp").doubleValue(),
                    (ObjectNode) whole.path("state"));
        } catch (CorruptException e) {
            throw e;
        } catch (IOException e) {
            throw new CorruptException(name, 0, 0, "it is " + e.getMessage());
        }
    }

    private static boolean intact(byte[] bytes) {
        if (bytes.length <= HEAD_LENGTH) {
            return false;
        }
        String head = HEAD + Line.crc(bytes, HEAD_LENGTH, bytes.length) + "\",\n";
        return head.equals(new String(bytes, 0, HEAD_LENGTH, StandardCharsets.ISO_8859_1));
    }

    /** Returns the contents of a file. The state may be large and is not copied. */
    private static List<byte[]> encode(Level level, long seq, double now, byte[] state) {
        String before = String.format(
                Locale.ROOT,
                "\"version\":%d,\"needs\":\"%s\",\"seq\":%d,\"timestamp\":%.6f,\n" + STATE,
                level.number(),
                level.needs(),
                seq,
                now);
        byte[] prefix = (HEAD + "00000000\",\n" + before).getBytes(StandardCharsets.UTF_8);
        byte[] end = {'}', '\n'};
        CRC32C crc = new CRC32C();
        crc.update(prefix, HEAD_LENGTH, prefix.length - HEAD_LENGTH);
        crc.update(state);
        crc.update(end);
        Line.hex(ByteBuffer.wrap(prefix), HEAD.length(), (int) crc.getValue());
        return List.of(prefix, state, end);
    }

    /**
     * Replaces the snapshot: writes the new file beside the old one, forces it, renames it, and forces the directory. The replaced snapshot
     * is kept as the previous one. After any error the file is still a good snapshot.
     *
     * @return the size in bytes
     */
    static long write(Disk disk, Level level, long seq, double now, byte[] state) throws IOException {
        keepPrevious(disk);
        return write(disk, FILE, level, seq, now, state);
    }

    /** Writes a snapshot under a name. */
    static long write(Disk disk, String name, Level level, long seq, double now, byte[] state) throws IOException {
        List<byte[]> contents = encode(level, seq, now, state);
        replace(disk, name, contents);
        disk.forceDirectory("");
        return contents.stream().mapToLong(part -> part.length).sum();
    }

    private static void keepPrevious(Disk disk) throws IOException {
        byte[] old = bytes(disk, FILE);
        if (old != null && intact(old)) {
            replace(disk, PREVIOUS, List.of(old));
        }
    }

    /** Copies the snapshot for the history of its month, if that month has none yet. */
    static void keep(Disk disk, Instant now) throws IOException {
        String name = kept(now);
        boolean had = disk.list("").stream().anyMatch(entry -> entry.name().equals(name));
        byte[] bytes = had ? null : bytes(disk, FILE);
        if (bytes != null) {
            replace(disk, name, List.of(bytes));
            disk.forceDirectory("");
        }
    }

    /** The snapshots that are kept for history. */
    static List<Head> listKept(Disk disk) throws IOException {
        return list(disk).stream()
                .filter(head -> !head.name().equals(FILE) && !head.name().equals(PREVIOUS))
                .toList();
    }

    /** Deletes the snapshots that were kept for history and after which events are deleted. */
    static void deleteBefore(Disk disk, long seq) throws IOException {
        for (Head head : listKept(disk)) {
            if (head.seq() < seq) {
                disk.delete(head.name());
            }
        }
    }

    /** Writes a file beside the old one and renames it. After an error, the unfinished file is deleted: the disk may be full. */
    private static void replace(Disk disk, String name, List<byte[]> contents) throws IOException {
        String beside = name + Segment.UNFINISHED;
        try {
            try (Disk.File file = disk.open(beside, Disk.Access.CREATE)) {
                long at = 0;
                for (byte[] part : contents) {
                    file.write(ByteBuffer.wrap(part), at);
                    at += part.length;
                }
                file.force(true);
            }
            disk.rename(beside, name);
        } catch (IOException e) {
            try {
                disk.delete(beside);
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }
}
