package io.muster.daemon.config;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import io.muster.inventory.problem.Text;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.slf4j.event.KeyValuePair;

/**
 * Writes each log event as one line, {@code time level logger: message key=value}, and each frame of a stack trace as another line. Under
 * journald, each line begins with {@code <N>} of sd-daemon(3) and has no time or level of its own. {@link Text#escaped} escapes characters
 * that may not be printed, so that a peer cannot forge a line of the log with the reason of a request.
 */
public final class TextLayout extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSSxxx", Locale.ROOT)
            .withZone(ZoneId.systemDefault());

    private boolean journald;

    /** Logback sets this from a {@code <journald>} element. */
    public void setJournald(boolean journald) {
        this.journald = journald;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(160);
        appendPrefix(line, event);
        line.append(shortName(event.getLoggerName())).append(": ");
        line.append(Text.escaped(event.getFormattedMessage()));
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            pairs.forEach(pair -> appendPair(line, pair));
        }
        line.append('\n');
        appendStack(line, event);
        return line.toString();
    }

    private void appendPrefix(StringBuilder line, ILoggingEvent event) {
        if (journald) {
            line.append('<').append(priority(event.getLevel())).append('>');
        } else {
            TIME.formatTo(Instant.ofEpochMilli(event.getTimeStamp()), line);
            line.append(' ').append(event.getLevel()).append(' ');
        }
    }

    private void appendStack(StringBuilder line, ILoggingEvent event) {
        if (event.getThrowableProxy() == null) {
            return;
        }
        ThrowableProxyUtil.asString(event.getThrowableProxy()).lines().forEach(frame -> {
            if (journald) {
                line.append('<').append(priority(event.getLevel())).append('>');
            }
            line.append(Text.escaped(frame));
            line.append('\n');
        });
    }

    private static void appendPair(StringBuilder line, KeyValuePair pair) {
        String value = String.valueOf(pair.value);
        line.append(' ').append(pair.key).append('=');
        boolean quote = value.isEmpty() || value.chars().anyMatch(c -> c <= ' ' || c == '"' || c == '=');
        if (quote) {
            line.append('"').append(Text.escaped(value.replace("\\", "\\\\").replace("\"", "\\\"")));
            line.append('"');
        } else {
            line.append(Text.escaped(value));
        }
    }

    private static String shortName(String logger) {
        return logger.substring(logger.lastIndexOf('.') + 1);
    }

    /** syslog(3) priorities: err 3, warning 4, info 6, debug 7. */
    private static int priority(Level level) {
        if (level.isGreaterOrEqual(Level.ERROR)) {
            return 3;
        }
        if (level.isGreaterOrEqual(Level.WARN)) {
            return 4;
        }
        return level.isGreaterOrEqual(Level.INFO) ? 6 : 7;
    }

    /** Logback's JSON, one event per line. Logback escapes only C0 controls; this escapes all characters that a terminal would obey. */
    static final class Json extends JsonEncoder {
        @Override
        public byte[] encode(ILoggingEvent event) {
            String line = new String(super.encode(event), StandardCharsets.UTF_8).stripTrailing();
            return (Text.escaped(line) + "\n").getBytes(StandardCharsets.UTF_8);
        }
    }
}
