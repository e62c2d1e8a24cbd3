package io.muster.daemon.core;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line in the log for each event, in the journal's words: {@code drain idset=3 nodelist=host3 reason="bad dimm"
 * by=alice(1001)}. Written on the worker thread. A log that takes lines too slowly loses some, and says how many; the journal
 * has them all.
 */
public final class ChangeLog implements Commits {
    private static final Logger log = LoggerFactory.getLogger("inventory");
    private static final int MOST_WAITING = 10_000;
    private static final int LONGEST_VALUE = 1000;

    private final Executor worker;
    private final AtomicInteger waiting = new AtomicInteger();
    private long lost;

    public ChangeLog(Executor worker) {
        this.worker = worker;
    }

    @Override
    public void committed(List<Entry> entries, InventoryState state) {
        if (!log.isInfoEnabled()) {
            return;
        }
        if (waiting.get() >= MOST_WAITING) {
            lost += entries.size();
            return;
        }
        long missing = lost;
        lost = 0;
        waiting.incrementAndGet();
        worker.execute(() -> {
            waiting.decrementAndGet();
            if (missing > 0) {
                log.warn("{} changes are in the journal, but not here: the log is too slow", missing);
            }
            entries.forEach(entry -> log.info("{}", line(entry)));
        });
    }

    static String line(Entry entry) {
        StringBuilder line = new StringBuilder(160).append(entry.event().name());
        for (Map.Entry<String, JsonNode> member : entry.toJson().path("context").properties()) {
            switch (member.getKey()) {
                case "userid", "user", "pid", "R" -> {}
                default -> line.append(' ').append(member.getKey()).append('=').append(value(member.getValue()));
            }
        }
        return line.append(" by=")
                .append(entry.by())
                .append(" seq=")
                .append(entry.seq())
                .toString();
    }

    private static String value(JsonNode value) {
        String text = value.isContainerNode() ? value.toString() : scalar(value);
        String cut = text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "...";
        boolean plain = !cut.isEmpty() && cut.chars().noneMatch(c -> c <= ' ' || c == '"' || c == '=' || c == 127);
        return plain || value.isContainerNode() ? cut : quote(cut);
    }

    /** Times are for people, who do not read exponents. */
    private static String scalar(JsonNode value) {
        return value.isNumber() ? value.decimalValue().toPlainString() : value.asText();
    }

    /** A reason is whatever somebody typed: it must not look like a second line, or a second key. */
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
