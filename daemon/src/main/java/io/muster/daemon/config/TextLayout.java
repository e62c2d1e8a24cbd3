package io.muster.daemon.config;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.slf4j.event.KeyValuePair;

/**
 * Formats each event as one line, {@code time level logger: message key=value}, and a stack trace as one line for each frame. Under
 * journald each line begins with the {@code <N>} of sd-daemon(3) and has no time and level. Control characters are escaped, so that a
 * reason chosen by a peer cannot forge a line.
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
        appendEscaped(line, event.getFormattedMessage());
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
            appendEscaped(line, frame);
            line.append('\n');
        });
    }

    private static void appendPair(StringBuilder line, KeyValuePair pair) {
        String value = String.valueOf(pair.value);
        line.append(' ').append(pair.key).append('=');
        boolean quote = value.isEmpty() || value.chars().anyMatch(c -> c <= ' ' || c == '"' || c == '=');
        if (quote) {
            appendEscaped(line.append('"'), value.replace("\\", "\\\\").replace("\"", "\\\""));
            line.append('"');
        } else {
            appendEscaped(line, value);
        }
    }

    private static void appendEscaped(StringBuilder line, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                line.append("\\n");
            } else if ((Character.isISOControl(c) && c != '\t') || c == '\u2028' || c == '\u2029') {
                line.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                line.append(c);
            }
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
}
