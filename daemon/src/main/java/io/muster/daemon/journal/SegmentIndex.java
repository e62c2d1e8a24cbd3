package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.inventory.hostlist.HostSearch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The length of each line of a segment that is no longer written, and the hostlist of its event, in a file beside the segment. A reader
 * that looks for a few hosts passes over the lines of other hosts without reading them. A missing, damaged or outdated index costs time and
 * changes no answer.
 *
 * <p>The contents of the {@link SideFile} consist of big-endian integers and of the hostlists, each with a newline:
 * <pre>
 * number n of lines after the head, number of hostlists,
 * length of each of the n lines, for each the number of its hostlist from 1 (0: the event may concern every host),
 * the hostlists
 * </pre>
 */
final class SegmentIndex {
    static final SideFile FILE = new SideFile(".hosts", 0x6d736832); // "msh2"
    private static final int HEAD = Integer.BYTES * 2;
    private static final int EACH = 2 * Integer.BYTES;
    private static final int UNKNOWN = 0;
    /** The hostlists take at most this share of the segment's size. Events whose hostlist has no room may concern every host. */
    private static final int SHARE = 8;

    /** The seq of the first line. */
    private final long first;

    private final int[] lengths;
    private final int[] lists;
    /** For each hostlist, whether it may name one of the hosts for which the index was read. */
    private final boolean[] wanted;

    private SegmentIndex(long first, int[] lengths, int[] lists, boolean[] wanted) {
        this.first = first;
        this.lengths = lengths;
        this.lists = lists;
        this.wanted = wanted;
    }

    /**
     * Moves a reader to the next line whose event may concern one of the hosts, or to the end.
     *
     * @param firstSeq lines before the one with this seq are passed over
     * @param lastSeq the seq of the last line that is of interest
     * @return whether there is such a line
     */
    boolean advance(SegmentReader reader, long firstSeq, long lastSeq) {
        long seq = reader.expected();
        long offset = reader.position();
        int line = (int) (seq - first);
        while (line < lengths.length && seq <= lastSeq && (seq < firstSeq || !wanted[lists[line]])) {
            offset += lengths[line++];
            seq++;
        }
        if (offset > reader.position()) {
            reader.seek(offset, seq);
        }
        return line < lengths.length && seq <= lastSeq;
    }

    /**
     * Returns the index of a segment; null if there is none that belongs to the segment as it is.
     *
     * @param begin the offset in the segment at which the lines after the head begin
     */
    static @Nullable SegmentIndex read(Disk disk, Segment segment, long begin, HostSearch hosts) throws IOException {
        ByteBuffer in = FILE.read(disk, segment);
        if (in == null) {
            return null;
        }
        int[] lengths = new int[in.getInt()];
        int[] lists = new int[lengths.length];
        boolean[] wanted = new boolean[in.getInt() + 1];
        in.asIntBuffer().get(lengths).get(lists);
        in.position(HEAD + EACH * lengths.length);
        long size = begin;
        for (int length : lengths) {
            size += length;
        }
        if (size != segment.size()) {
            return null;
        }
        wanted[UNKNOWN] = true;
        byte[] bytes = new byte[in.remaining()];
        in.get(bytes);
        int start = 0;
        for (int list = 1; list < wanted.length; list++) {
            int end = start;
            while (bytes[end] != '\n') {
                end++;
            }
            wanted[list] = hosts.mayName(bytes, start, end);
            start = end + 1;
        }
        return new SegmentIndex(segment.first(), lengths, lists, wanted);
    }

    /**
     * Writes the index of a segment that is no longer written, unless it has its index or is damaged.
     *
     * @throws NoSuchFileException if the segment was deleted
     */
    static void prepare(Disk disk, Segment segment) throws IOException {
        HostSearch nobody = new HostSearch(Set.of("")); // no host has this name
        Lines lines = new Lines(segment.size() / SHARE);
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            if (reader.damage() != null || read(disk, segment, reader.position(), nobody) != null) {
                return;
            }
            reader.select(lines, Long.MAX_VALUE);
            while (reader.next() != null) {
                lines.add((int) (reader.position() - reader.start()), null);
            }
            if (reader.damage() != null || lines.count == 0) {
                return;
            }
        }
        ByteBuffer out = ByteBuffer.allocate(HEAD + EACH * lines.count + lines.texts.size());
        out.putInt(lines.count).putInt(lines.numbers.size());
        out.asIntBuffer().put(lines.lengths, 0, lines.count).put(lines.lists, 0, lines.count);
        out.position(HEAD + EACH * lines.count);
        FILE.write(disk, segment, out.put(lines.texts.toByteArray()).flip());
    }

    /** Collects the lines of a segment in their order. */
    private static final class Lines implements SegmentReader.Filter {
        private final long most;
        private final Map<String, Integer> numbers = new HashMap<>();
        private final ByteArrayOutputStream texts = new ByteArrayOutputStream();
        private int[] lengths = new int[1024];
        private int[] lists = new int[1024];
        private int count;

        private Lines(long most) {
            this.most = most;
        }

        @Override
        public boolean wants(PlainLine line) {
            add(line.length(), line.hostlist());
            return false;
        }

        private void add(int length, @Nullable String hosts) {
            if (count == lengths.length) {
                lengths = Arrays.copyOf(lengths, 2 * count);
                lists = Arrays.copyOf(lists, 2 * count);
            }
            lengths[count] = length;
            lists[count++] = hosts == null ? UNKNOWN : number(hosts);
        }

        private int number(String hosts) {
            Integer known = numbers.get(hosts);
            if (known != null || texts.size() + hosts.length() >= most) {
                return known == null ? UNKNOWN : known;
            }
            numbers.put(hosts, numbers.size() + 1);
            texts.writeBytes((hosts + "\n").getBytes(StandardCharsets.ISO_8859_1));
            return numbers.size();
        }
    }
}
