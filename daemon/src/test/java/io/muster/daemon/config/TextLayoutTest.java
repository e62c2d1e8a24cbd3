package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

final class TextLayoutTest {
    private final Logger logger = new LoggerContext().getLogger("io.muster.daemon.core.Inventory");

    private LoggingEvent event(Level level, String message, @Nullable Throwable thrown) {
        LoggingEvent event = new LoggingEvent("", logger, level, message, thrown, null);
        event.setInstant(Instant.parse("2026-11-21T02:00:00.123Z"));
        return event;
    }

    private static TextLayout layout(boolean journald) {
        TextLayout layout = new TextLayout();
        layout.setJournald(journald);
        return layout;
    }

    @Test
    void aConsoleLineHasTimeLevelAndLogger() {
        assertThat(layout(false).doLayout(event(Level.INFO, "drain idset=3 by=alice(1001)", null)))
                .matches(
                        "2026-11-2[01]T\\d\\d:\\d\\d:00\\.123[+-]\\d\\d:\\d\\d INFO Inventory: drain idset=3 by=alice\\(1001\\)\n");
    }

    @Test
    void underJournaldALineHasThePriorityAndNoTime() {
        TextLayout layout = layout(true);
        assertThat(layout.doLayout(event(Level.ERROR, "x", null))).isEqualTo("<3>Inventory: x\n");
        assertThat(layout.doLayout(event(Level.WARN, "x", null))).isEqualTo("<4>Inventory: x\n");
        assertThat(layout.doLayout(event(Level.INFO, "x", null))).isEqualTo("<6>Inventory: x\n");
        assertThat(layout.doLayout(event(Level.DEBUG, "x", null))).isEqualTo("<7>Inventory: x\n");
        assertThat(layout.doLayout(event(Level.TRACE, "x", null))).isEqualTo("<7>Inventory: x\n");
    }

    @Test
    void keyValuesAreAppendedAndQuotedWhereNeeded() {
        LoggingEvent event = event(Level.INFO, "drain", null);
        event.addKeyValuePair(new KeyValuePair("idset", "3-4"));
        event.addKeyValuePair(new KeyValuePair("reason", "bad \"dimm\" \\ a=b"));
        event.addKeyValuePair(new KeyValuePair("note", ""));
        assertThat(layout(true).doLayout(event))
                .isEqualTo("<6>Inventory: drain idset=3-4 reason=\"bad \\\"dimm\\\" \\\\ a=b\" note=\"\"\n");
    }

    @Test
    void controlCharactersInAMessageAreEscaped() {
        LoggingEvent event = event(Level.INFO, "reason=a\n<0>root: all is well\r\u001b[2J\u2028\u0085\u202e", null);
        event.addKeyValuePair(new KeyValuePair("k", "v\nw"));
        assertThat(layout(true).doLayout(event))
                .isEqualTo(
                        "<6>Inventory: reason=a\\n<0>root: all is well\\u000d\\u001b[2J\\u2028\\u0085\\u202e k=\"v\\nw\"\n");
    }

    @Test
    void controlCharactersInJsonLinesAreEscaped() throws Exception {
        TextLayout.Json lines = new TextLayout.Json();
        lines.setContext(new LoggerContext());
        lines.start();
        String text = "a\n\u001b\u0085\u202e\u2028\u2066 é";
        LoggingEvent logged = event(Level.INFO, text, null);
        logged.setMDCPropertyMap(Map.of());
        String line = new String(lines.encode(logged), StandardCharsets.UTF_8);
        assertThat(line)
                .endsWith("}\n")
                .doesNotContain("\u0085", "\u202e", "\u2028", "\u2066")
                .contains("\\u202e", "é");
        assertThat(line.lines()).hasSize(1);
        JsonNode event = new JsonMapper().readTree(line);
        assertThat(event.toString()).contains("\u0085\u202e\u2028\u2066 é");
    }

    @Test
    void eachLineOfAStackTraceHasThePriority() {
        IllegalStateException thrown = new IllegalStateException("why\nnot", new RuntimeException("because"));
        String text = layout(true).doLayout(event(Level.ERROR, "failed", thrown));
        assertThat(text.lines()).hasSizeGreaterThan(5).allMatch(line -> line.startsWith("<3>"));
        assertThat(text).contains("IllegalStateException: why").contains("RuntimeException: because");
    }
}
