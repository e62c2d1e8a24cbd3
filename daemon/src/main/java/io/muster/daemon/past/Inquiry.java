package io.muster.daemon.past;

import io.muster.daemon.ledger.Archive;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.Past;
import io.muster.inventory.history.Period;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One question about the past, answered piece by piece while the archive is read. */
public final class Inquiry implements Closeable {
    /** The number of events to read before other inquiries have a turn, even if no interval has ended. */
    private static final int MOST_EVENTS = 10_000;

    private final Archive.Reading reading;
    private final Past past;
    private final Present present;
    private boolean done;

    /**
     * @param hosts empty for all hosts
     * @param notes whether the question includes marks and tags
     */
    public record Question(Set<String> hosts, Period period, boolean notes) {}

    /** The state after the last event that is to be read, and its time in seconds since the epoch. */
    public record Present(InventoryState state, long seq, double time) {
        /**
         * The state to which everything in an archive leads, without a change that was not written completely.
         *
         * @param time the present time, in seconds since the epoch
         * @throws IllegalArgumentException if an event or a state is not understood
         */
        public static Present of(Archive archive, double time) throws IOException {
            InventoryState state = InventoryState.empty();
            long seq = 0;
            List<Entry> change = new ArrayList<>();
            Archive.Selection newest = new Archive.Selection(Set.of(), Double.MAX_VALUE, Long.MAX_VALUE);
            try (Archive.Reading reading = archive.open(newest)) {
                for (Archive.Item item = reading.next(); item != null; item = reading.next()) {
                    if (item instanceof Archive.Item.State found) {
                        state = StateJson.parse(found.json());
                        seq = found.seq();
                    } else if (item instanceof Archive.Item.Event event) {
                        change.add(Entry.parse(event.json()));
                        if (event.json().path("more").asInt() == 0) {
                            for (Entry entry : change) {
                                state = entry.applyTo(state);
                                seq = entry.seq();
                            }
                            change.clear();
                        }
                    }
                }
            }
            return new Present(state, seq, time);
        }
    }

    public Inquiry(Archive archive, Question question, Present present) throws IOException {
        this.past = new Past(question.hosts(), question.period(), question.notes());
        this.present = present;
        this.reading = archive.open(
                new Archive.Selection(question.hosts(), question.period().since(), present.seq()));
    }

    public boolean isDone() {
        return done;
    }

    /** The number of intervals that are open at the current position, which is a measure of the memory of this inquiry. */
    public int opened() {
        return past.opened();
    }

    /**
     * Continues to read, until about this number of intervals have ended, or to the end of the archive.
     *
     * @return the intervals that have ended, and after the last event also the open ones, each with its hosts
     */
    public Map<Outage, List<String>> read(int intervals) throws IOException {
        int events = 0;
        while (!done && past.ended() < intervals && events++ < MOST_EVENTS) {
            Archive.Item item = reading.next();
            if (item instanceof Archive.Item.Event event) {
                past.add(event.json());
            } else if (item instanceof Archive.Item.State state) {
                past.add(StateJson.parse(state.json()), state.time());
            } else if (item instanceof Archive.Item.Missing missing) {
                past.missing(missing.damage());
            } else {
                past.add(present.state(), present.time());
                done = true;
            }
        }
        return done ? past.rest() : past.takeEnded();
    }

    public Coverage coverage() {
        return past.coverage();
    }

    @Override
    public void close() throws IOException {
        reading.close();
    }
}
