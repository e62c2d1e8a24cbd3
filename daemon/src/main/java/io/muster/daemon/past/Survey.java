package io.muster.daemon.past;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.ledger.Archive;
import io.muster.inventory.axis.Times;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Period;
import io.muster.inventory.history.Tracker;
import io.muster.inventory.history.Uptime;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.StateJson;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One question about the availability of hosts, answered piece by piece while the archive is read. What happened to the hosts in the parts
 * that are no longer written is kept beside the parts, and these parts are not read again. What is kept is used for the first parts up to
 * the first one without, if the archive begins as it did then, and only while no event is missing: so the answer is the same without.
 */
public final class Survey implements Closeable {
    /** The number of events to read before other questions have a turn. */
    private static final int MOST_EVENTS = 10_000;

    private final Archive archive;
    private final Inquiry.Present present;
    private final Period period;
    private final Uptime.Rows rows;
    private final boolean keeps;

    private Uptime uptime;
    private Moves moves;
    private Tracker tracker;
    private Archive.@Nullable Reading reading;
    /** Items that were read and not used yet. */
    private final Deque<Archive.Item> ready = new ArrayDeque<>();
    /** The parts whose last event was not passed yet. */
    private final Deque<Archive.Part> parts = new ArrayDeque<>();
    /** Stands for the beginning of the archive, and for the parts that were passed. */
    private long chain;
    /** Whether what is written down may be kept. */
    private boolean sound;

    private double first;
    /** The time of the state that stands for the last events that are missing; 0 if there is none. */
    private double since;

    private boolean whole = true;
    private boolean gap;
    private String damage = "";
    private boolean done;

    /** @param keeps whether what happened to the hosts is kept beside the parts */
    public Survey(Archive archive, Inquiry.Present present, Period period, Uptime.Rows rows, boolean keeps) {
        this.archive = archive;
        this.present = present;
        this.period = new Period(period.since(), Math.min(period.until(), present.time()));
        this.rows = rows;
        this.keeps = keeps;
        this.uptime = new Uptime(this.period, rows);
        this.moves = new Moves(uptime);
        this.tracker = new Tracker(moves);
    }

    /** Returns a survey that only keeps what happened to the hosts beside the parts. */
    public static Survey ofParts(Archive archive, Inquiry.Present present) {
        Uptime.Rows none = new Uptime.Rows(null, host -> List.of(), 0, 0);
        return new Survey(archive, present, new Period(present.time(), present.time()), none, true);
    }

    public boolean isDone() {
        return done;
    }

    /** Returns whether all parts were read that are no longer written. Must be called after {@link #read}. */
    public boolean hasPassedParts() {
        return parts.isEmpty();
    }

    /** The number of hosts, which is a measure of the memory of this survey. */
    public int hosts() {
        return uptime.hosts();
    }

    /** The number of rows of the document, when all was read. */
    public long rows() {
        return uptime.rows();
    }

    /** Continues to read. */
    public void read() throws IOException {
        if (reading == null) {
            begin();
        }
        for (int events = 0; !done && events < MOST_EVENTS; events++) {
            add(next());
        }
    }

    private Archive.@Nullable Item next() throws IOException {
        Archive.Item item = ready.poll();
        Archive.Reading open = reading;
        return item != null || open == null ? item : open.next();
    }

    /** Opens the archive, and repeats what is kept. */
    private void begin() throws IOException {
        open(0, Long.MAX_VALUE);
        root();
        Archive.Part last = null;
        for (Archive.Part part = parts.peek(); part != null; part = parts.peek()) {
            long link = link(chain, part);
            ByteBuffer kept = sound ? archive.sums(part) : null;
            double complete = kept == null ? -1 : moves.repeat(kept, link, tracker);
            if (complete < 0) {
                break;
            }
            since = complete;
            chain = link;
            last = parts.remove();
        }
        if (last != null && !(reopen() && resume(last))) {
            uptime = new Uptime(period, rows);
            moves = new Moves(uptime);
            tracker = new Tracker(moves);
            open(0, Long.MAX_VALUE);
            root();
        }
    }

    /** Returns whether the state that was used when the sums were made is still kept. */
    private boolean reopen() throws IOException {
        if (since == 0) {
            return true;
        }
        open(since, Long.MAX_VALUE);
        Archive.Item.State state = state();
        return state != null && state.time() == since;
    }

    /** Returns the state with which the reading begins; null if the reading begins without a state. */
    private Archive.Item.@Nullable State state() throws IOException {
        Archive.Item item = next();
        while (item instanceof Archive.Item.Missing) {
            item = next();
        }
        return item instanceof Archive.Item.State state ? state : null;
    }

    /** Opens the archive, to read from the newest state that is not newer than a time and an event. */
    private void open(double before, long beginSeq) throws IOException {
        close();
        ready.clear();
        reading = archive.open(new Archive.Selection(Set.of(), before, present.seq(), beginSeq));
    }

    /** Reads up to the first event, which shows how the archive begins. */
    private void root() throws IOException {
        parts.clear();
        for (Archive.Part part : archive.parts()) {
            if (part.last() <= present.seq()) {
                parts.add(part);
            }
        }
        chain = 0;
        since = 0;
        Archive.Reading opened = Objects.requireNonNull(reading);
        Archive.Item item = opened.next();
        for (; item != null && !(item instanceof Archive.Item.Event); item = opened.next()) {
            ready.add(item);
            if (item instanceof Archive.Item.State state) {
                chain = mix(mix(chain, state.seq()), Double.doubleToLongBits(state.time()));
                first = first == 0 ? state.time() : first;
                since = state.time();
                whole = false;
            } else if (item instanceof Archive.Item.Missing missing) {
                whole = false;
                damage = damage.isEmpty() ? missing.damage() : damage;
            }
        }
        if (item instanceof Archive.Item.Event event) {
            chain = mix(chain, event.json().path("seq").asLong());
            first = first == 0 ? event.json().path("timestamp").asDouble() : first;
            ready.add(item);
        }
        sound = damage.isEmpty();
    }

    private static long link(long chain, Archive.Part part) {
        return mix(mix(mix(mix(chain, part.first()), part.last()), part.size()), part.modified());
    }

    private static long mix(long a, long b) {
        long mixed = (a ^ b) * 0x9e3779b97f4a7c15L + 1;
        return mixed ^ mixed >>> 29;
    }

    /**
     * Continues after a part with the newest state from before its end.
     *
     * @return whether there is such a state, and no event after it is missing
     */
    private boolean resume(Archive.Part part) throws IOException {
        open(Double.MAX_VALUE, part.last());
        Archive.Item.State state = state();
        if (state == null || state.seq() > part.last()) {
            return false;
        }
        tracker.quiet(true);
        tracker.add(StateJson.parse(state.json()), 0);
        Archive.Item item = next();
        for (; item instanceof Archive.Item.Event event && seq(event) <= part.last(); item = next()) {
            tracker.add(Entry.parse(event.json()));
        }
        if (item instanceof Archive.Item.Missing || item instanceof Archive.Item.State) {
            return false;
        }
        tracker.quiet(false);
        if (item != null) {
            ready.add(item);
        }
        return true;
    }

    private static long seq(Archive.Item.Event event) {
        return event.json().path("seq").asLong();
    }

    private void add(Archive.@Nullable Item item) {
        if (item instanceof Archive.Item.Event event) {
            pass(seq(event) - 1);
            tracker.add(Entry.parse(event.json()));
        } else if (item instanceof Archive.Item.State state) {
            known(state.time());
            tracker.add(StateJson.parse(state.json()), state.time());
        } else if (item instanceof Archive.Item.Missing missing) {
            sound &= tracker.time() == 0;
            gap = true;
            whole = false;
            damage = damage.isEmpty() ? missing.damage() : damage;
            tracker.missing();
        } else {
            finish();
        }
    }

    private void known(double time) {
        since = gap ? time : since;
        gap = false;
    }

    private void finish() {
        pass(present.seq());
        if (gap || first == 0) {
            first = first == 0 ? present.time() : first;
            known(present.time());
            tracker.add(present.state(), present.time());
        }
        uptime.finish();
        done = true;
    }

    /** Keeps what happened in the parts that end with this event or before it. */
    private void pass(long seq) {
        while (!parts.isEmpty() && parts.element().last() <= seq) {
            Archive.Part part = parts.remove();
            chain = link(chain, part);
            ByteBuffer taken = moves.take(chain, since, tracker.time());
            if (keeps && sound) {
                archive.keepSums(part, taken);
            }
        }
    }

    /** Returns the document. */
    public ObjectNode document() {
        Coverage coverage = new Coverage(first, whole ? first : since, whole, damage, Hostlist.EMPTY);
        ObjectNode json = coverage.toJson(period.since());
        json.put("known_since", first == 0 ? null : Times.rfc3339(first));
        return json.setAll(uptime.toJson());
    }

    /** Returns the answer to a question that needs no turns. */
    public ObjectNode answer() throws IOException {
        while (!done) {
            read();
        }
        return document();
    }

    @Override
    public void close() throws IOException {
        Archive.Reading open = reading;
        reading = null;
        if (open != null) {
            open.close();
        }
    }
}
