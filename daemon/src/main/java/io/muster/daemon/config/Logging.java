package io.muster.daemon.config;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
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
 * Configures the log, which goes to standard error. An operator's own logback file ({@code -Dlogback.configurationFile}) decides everything
 * except the level, which Muster still sets. May be called on any thread; events that are logged during a change are not lost.
 */
public final class Logging {
    /** The form of a log line. */
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

    /** The configuration at start, which logback finds through META-INF/services; this takes a tenth of the time of reading XML. */
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
        Encoder<ILoggingEvent> encoder = format == Format.JSON ? new JsonEncoder() : textEncoder(context);
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

    /**
     * Whether standard error is connected to the systemd journal. By systemd.exec(5) JOURNAL_STREAM is "device:inode" of the stream. The
     * variable stays set when standard error is redirected, so the two are compared.
     */
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
