package io.muster.daemon.core;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.EventText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one line to the log for each entry, with the names of the journal: {@code drain idset=3 nodelist=host3 reason="bad
 * dimm" by=alice(1001)}. The lines are written on the worker thread. If the log is too slow, some lines are dropped and a
 * warning gives their number; the journal has all entries.
 */
public final class ChangeLog implements Commits {
    private static final Logger log = LoggerFactory.getLogger("inventory");

    /**
     * The approximate number of bytes of entries that may wait for the log. An entry that names every second rank of a large
     * system is as long as its list of hosts.
     */
    static final long MOST_WAITING = 8 << 20;

    private static final int AN_EVENT = 500;
    private static final int LONGEST_VALUE = 1000;

    private final Executor worker;
    private final AtomicLong waiting = new AtomicLong();
    private long lost;

    public ChangeLog(Executor worker) {
        this.worker = worker;
    }

    @Override
    public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
        if (!log.isInfoEnabled()) {
            return;
        }
        long weight = weight(lines);
        if (waiting.get() > 0 && waiting.get() + weight > MOST_WAITING) {
            lost += entries.size();
            return;
        }
        long missing = lost;
        lost = 0;
        waiting.addAndGet(weight);
        worker.execute(() -> {
            try {
                if (missing > 0) {
                    log.warn("{} changes were journaled but not logged: the log is too slow", missing);
                }
                for (int i = 0; i < entries.size(); i++) {
                    log.info("{}", line(entries.get(i), lines.get(i)));
                }
            } finally {
                waiting.addAndGet(-weight);
            }
        });
    }

    private static long weight(List<byte[]> lines) {
        long weight = 0;
        for (byte[] line : lines) {
            weight += AN_EVENT + line.length;
        }
        return weight;
    }

    /** @param json the entry as JSON */
    static String line(Entry entry, byte[] json) {
        StringBuilder line = new StringBuilder(160).append(entry.event().name());
        EventText.fields(line, entry.toSummaryJson(json), ChangeLog::value);
        return line.append(" by=")
                .append(word(entry.by().toString()))
                .append(" seq=")
                .append(entry.seq())
                .toString();
    }

    private static @Nullable String value(String key, JsonNode value) {
        return switch (key) {
            case "userid", "user", "pid", "speaker", "id", "request" -> null;
            case "planner" -> word(cut(Principal.author(value)));
            case "from", "until", "expiration" -> time(value.decimalValue());
            default -> value.isContainerNode() ? cut(value.toString()) : word(cut(value.asText()));
        };
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "...";
    }

    private static String word(String text) {
        boolean plain = !text.isEmpty() && text.chars().noneMatch(c -> c <= ' ' || c == '"' || c == '=' || c == 127);
        return plain ? text : quote(text);
    }

    /** Returns a time by RFC 3339 with exactly the fraction of a second that was given. R uses 0 for "does not expire". */
    private static String time(BigDecimal seconds) {
        BigDecimal whole = seconds.setScale(0, RoundingMode.FLOOR);
        long nanos = seconds.subtract(whole).movePointRight(9).longValue();
        return seconds.signum() == 0
                ? "never"
                : Instant.ofEpochSecond(whole.longValue(), nanos).toString();
    }

    /** Quotes a text so that it cannot look like a second line or a second key, because users choose the text of a reason. */
    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else {
                quoted.append(Character.isISOControl(c) ? '?' : c);
            }
        }
        return quoted.append('"').toString();
    }
}
