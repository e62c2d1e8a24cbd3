package io.muster.daemon.past;

import io.muster.inventory.history.Tracker;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What happened to hosts during a part of the archive: what the events of the part say, a hundredth as long to read. A sink that passes on
 * what it receives and writes it down.
 *
 * <p>The form: the chain, 8 bytes; since when the record is complete, 8 bytes; then numbers of 7 bits a byte, the highest bit of all but the last byte being set: the time of the last
 * event in ms, the number of new hosts and of new classes, each followed by their names with their lengths in bytes, and the moves: the ms
 * since the move before, the code, the first host, the number of hosts less one.
 */
final class Moves implements Tracker.Sink {
    private static final int BITS = 7;
    private static final int REST = 1 << BITS;

    private final Tracker.Sink sink;
    private final List<String> hosts = new ArrayList<>();
    private final List<String> classes = new ArrayList<>();
    private final ByteArrayOutputStream moves = new ByteArrayOutputStream();
    private long last;

    Moves(Tracker.Sink sink) {
        this.sink = sink;
    }

    @Override
    public void host(String name) {
        hosts.add(name);
        sink.host(name);
    }

    @Override
    public void holdClass(String name) {
        classes.add(name);
        sink.holdClass(name);
    }

    @Override
    public void move(long time, int code, int first, int end) {
        put(moves, time - last);
        put(moves, code);
        put(moves, first);
        put(moves, end - first);
        last = time;
        sink.move(time, code, first, end);
    }

    /** Forgets what was written down. */
    void clear() {
        hosts.clear();
        classes.clear();
        moves.reset();
        last = 0;
    }

    /**
     * Returns what was written down since the last call.
     *
     * @param chain stands for the part and everything before it
     * @param since the time of the state that stands for events that are missing before it, in seconds since the epoch; 0 if there is none
     * @param time the time of the last event, in milliseconds since the epoch
     */
    ByteBuffer take(long chain, double since, long time) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        put(head, time);
        put(head, hosts);
        put(head, classes);
        ByteBuffer taken = ByteBuffer.allocate(Long.BYTES + Double.BYTES + head.size() + moves.size());
        taken.putLong(chain).putDouble(since).put(head.toByteArray()).put(moves.toByteArray());
        clear();
        return taken.flip();
    }

    /**
     * Does again what was written down.
     *
     * @param tracker has the sink
     * @return since when the record is complete, as given to {@link #take}; -1 if the chain is another, and nothing was done
     */
    double repeat(ByteBuffer taken, long chain, Tracker tracker) {
        if (taken.getLong() != chain) {
            return -1;
        }
        double since = taken.getDouble();
        tracker.at(number(taken));
        for (long left = number(taken); left > 0; left--) {
            tracker.host(name(taken));
        }
        for (long left = number(taken); left > 0; left--) {
            tracker.holdClass(name(taken));
        }
        long time = 0;
        while (taken.hasRemaining()) {
            time += number(taken);
            int code = (int) number(taken);
            int first = (int) number(taken);
            sink.move(time, code, first, first + (int) number(taken));
        }
        clear();
        return since;
    }

    private static void put(ByteArrayOutputStream out, List<String> names) {
        put(out, names.size());
        for (String name : names) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            put(out, bytes.length);
            out.writeBytes(bytes);
        }
    }

    private static String name(ByteBuffer in) {
        byte[] bytes = new byte[(int) number(in)];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void put(ByteArrayOutputStream out, long number) {
        long rest = number;
        for (; rest >= REST; rest >>>= BITS) {
            out.write((int) (rest | REST));
        }
        out.write((int) rest);
    }

    private static long number(ByteBuffer in) {
        long number = 0;
        int shift = 0;
        byte next = in.get();
        for (; next < 0; next = in.get(), shift += BITS) {
            number |= (long) (next & (REST - 1)) << shift;
        }
        return number | (long) next << shift;
    }
}
