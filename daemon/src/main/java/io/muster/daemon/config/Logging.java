package io.muster.daemon.config;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log goes to standard error, before which the daemon has put a queue that never blocks. An operator's own logback file ({@code
 * -Dlogback.configurationFile}) decides about everything but the level, which stays ours to change. May be called on any thread; events
 * that are logged during a change are not lost.
 */
public final class Logging {
    /** How a line looks. */
    public enum Format {
        TEXT,
        JSON
    }

    /** The least severe level that is logged. */
    public enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    /** Logback finds this through META-INF/services; it takes a tenth of the time that reading XML does. */
    public static final class AtStart extends ContextAwareBase implements Configurator {
        @Override
        public ExecutionStatus configure(LoggerContext context) {
            if (operatorsFile()) {
                return ExecutionStatus.INVOKE_NEXT_IF_ANY;
            }
            applyTo(context, Level.INFO, Format.TEXT);
            return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
        }
    }

    private static final String APPENDER = "stderr";

    private Logging() {}

    public static void apply(Level level, Format format) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            applyTo(context, level, format);
        }
    }

    /** The line, with its end, that stands in the log where {@code dropped} lines are missing. */
    public static byte[] gap(long dropped) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        var event = new LoggingEvent(
                Logging.class.getName(),
                context.getLogger("muster"),
                ch.qos.logback.classic.Level.WARN,
                "{} lines were dropped here, since the log was not read",
                null,
                new Object[] {dropped});
        return encoderInForce(context).encode(event);
    }

    private static Encoder<ILoggingEvent> encoderInForce(LoggerContext context) {
        var appenders = context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
        while (appenders.hasNext()) {
            if (appenders.next() instanceof ConsoleAppender<ILoggingEvent> console) {
                return console.getEncoder();
            }
        }
        return encoder(context, Format.TEXT);
    }

    private static void applyTo(LoggerContext context, Level level, Format format) {
        var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        if (!operatorsFile()) {
            var old = root.getAppender(APPENDER);
            root.addAppender(appender(context, format));
            if (old != null) {
                root.detachAppender(old);
            }
        }
        root.setLevel(ch.qos.logback.classic.Level.toLevel(level.name()));
        context.getLogger("io.netty").setLevel(ch.qos.logback.classic.Level.WARN);
    }

    private static boolean operatorsFile() {
        return System.getProperty("logback.configurationFile") != null;
    }

    private static ConsoleAppender<ILoggingEvent> appender(LoggerContext context, Format format) {
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName(APPENDER);
        appender.setTarget("System.err");
        appender.setEncoder(encoder(context, format));
        appender.start();
        return appender;
    }

    private static Encoder<ILoggingEvent> encoder(LoggerContext context, Format format) {
        Encoder<ILoggingEvent> encoder = format == Format.JSON ? new TextLayout.Json() : textEncoder(context);
        encoder.setContext(context);
        encoder.start();
        return encoder;
    }

    private static Encoder<ILoggingEvent> textEncoder(LoggerContext context) {
        TextLayout layout = new TextLayout();
        layout.setContext(context);
        layout.setJournald(isJournal(System.getenv(), Path.of("/proc/self/fd/2")));
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(layout);
        return encoder;
    }

    /** systemd.exec(5): JOURNAL_STREAM is "device:inode" of the stream, and outlives a redirection of standard error. */
    static boolean isJournal(Map<String, String> environment, Path standardError) {
        String stream = environment.get("JOURNAL_STREAM");
        if (stream == null) {
            return false;
        }
        try {
            Map<String, Object> file = Files.readAttributes(standardError, "unix:dev,ino");
            return stream.equals(file.get("dev") + ":" + file.get("ino"));
        } catch (IOException closed) {
            return false;
        }
    }
}
