package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class LoggingTest {
    @TempDir
    private Path dir;

    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();

    @AfterEach
    void restore() {
        Logging.apply(Logging.Level.INFO, Logging.Format.TEXT);
    }

    private ConsoleAppender<ILoggingEvent> theOnlyAppender() {
        Iterator<ch.qos.logback.core.Appender<ILoggingEvent>> all =
                context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
        ConsoleAppender<ILoggingEvent> first = (ConsoleAppender<ILoggingEvent>) all.next();
        assertThat(all.hasNext())
                .as("a second appender would log each line twice")
                .isFalse();
        return first;
    }

    @Test
    void withoutAFileTheEmbeddedDefaultApplies() {
        assertThat(theOnlyAppender().getTarget()).isEqualTo("System.err");
        assertThat(context.getLogger(Logger.ROOT_LOGGER_NAME).getLevel()).isEqualTo(Level.INFO);
        assertThat(context.getLogger("io.netty.util").getEffectiveLevel()).isEqualTo(Level.WARN);
    }

    @Test
    void levelAndFormatCanBeChangedAtRunTime() {
        Logging.apply(Logging.Level.DEBUG, Logging.Format.JSON);
        assertThat(theOnlyAppender().getEncoder()).isInstanceOf(JsonEncoder.class);
        assertThat(context.getLogger("io.muster.x").isDebugEnabled()).isTrue();
        assertThat(context.getLogger("io.netty.x").isInfoEnabled())
                .as("netty stays quiet")
                .isFalse();
        Logging.apply(Logging.Level.ERROR, Logging.Format.TEXT);
        assertThat(theOnlyAppender().getEncoder()).isNotInstanceOf(JsonEncoder.class);
        assertThat(context.getLogger("io.muster.x").isWarnEnabled()).isFalse();
    }

    @Test
    void theLineAboutDroppedLinesHasTheCurrentFormat() {
        assertThat(new String(Logging.gap(7), StandardCharsets.UTF_8))
                .matches("\\S+ WARN muster: 7 log lines were dropped here, because nobody read the log\n");
        Logging.apply(Logging.Level.ERROR, Logging.Format.JSON);
        assertThat(new String(Logging.gap(7), StandardCharsets.UTF_8))
                .startsWith("{")
                .contains("\"level\":\"WARN\"")
                .endsWith("}\n");
    }

    @Test
    void journaldIsDetectedByDeviceAndInode() throws IOException {
        Path stream = Files.createFile(dir.resolve("stream"));
        Map<String, Object> is = Files.readAttributes(stream, "unix:dev,ino");
        assertThat(Logging.isJournal(Map.of("JOURNAL_STREAM", is.get("dev") + ":" + is.get("ino")), stream))
                .isTrue();
        assertThat(Logging.isJournal(Map.of("JOURNAL_STREAM", "1:2"), stream))
                .as("redirected")
                .isFalse();
        assertThat(Logging.isJournal(Map.of(), stream)).isFalse();
        assertThat(Logging.isJournal(Map.of("JOURNAL_STREAM", "1:2"), dir.resolve("none")))
                .isFalse();
    }

    @Test
    void anExceptionIsLoggedOncePerMinuteAndRepetitionsAreCounted() {
        AtomicLong nanos = new AtomicLong();
        LoggerContext own = new LoggerContext();
        own.addTurboFilter(new Logging.Repeats(nanos::get));
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        own.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(lines);
        own.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.INFO);
        Logger log = own.getLogger("peer");
        for (int i = 0; i < 1000; i++) {
            log.error("peer={} closed", i, new IllegalStateException("bug " + i));
        }
        log.error("another place", new IllegalStateException("bug"));
        log.debug("not logged at all", new IllegalArgumentException("x"));
        log.info("a line without an exception");
        nanos.addAndGet(Logging.Repeats.WINDOW);
        log.info("later");
        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("peer=0 closed"),
                        line -> assertThat(line).isEqualTo("another place"),
                        line -> assertThat(line).isEqualTo("a line without an exception"),
                        line -> assertThat(line)
                                .startsWith("999 more in a minute were not logged: java.lang.IllegalStateException at "
                                        + LoggingTest.class.getName()),
                        line -> assertThat(line).isEqualTo("later"));
        log.error("peer={} closed", 0, new IllegalStateException("bug"));
        assertThat(lines.list).as("a new minute").hasSize(6);
    }
}
