package io.muster.daemon.config;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.FilterReply;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/**
 * Sets up the log, which goes to standard error through a queue that never blocks. An operator's own logback file
 * ({@code -Dlogback.configurationFile}) determines everything except the level, which the configuration always sets. All
 * methods may be called on any thread. A change of the setup loses no event.
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

    /** The setup at start. Logback finds this class through META-INF/services, which takes a tenth of the time of reading XML. */
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

    /** The line, with its line end, that the log has in place of {@code dropped} lines. */
    public static byte[] gap(long dropped) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        var event = new LoggingEvent(
                Logging.class.getName(),
                context.getLogger("muster"),
                ch.qos.logback.classic.Level.WARN,
                "{} log lines were dropped here, because nobody read the log",
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

    /** Drops the events of all threads in {@code group} until the result is closed. */
    public static Closeable silence(ThreadGroup group) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return () -> {};
        }
        TurboFilter silence = new TurboFilter() {
            @Override
            public FilterReply decide(
                    @Nullable Marker marker,
                    ch.qos.logback.classic.Logger logger,
                    ch.qos.logback.classic.Level level,
                    @Nullable String format,
                    Object @Nullable [] arguments,
                    @Nullable Throwable thrown) {
                return Thread.currentThread().getThreadGroup() == group ? FilterReply.DENY : FilterReply.NEUTRAL;
            }
        };
        context.addTurboFilter(silence);
        return () -> context.getTurboFilterList().remove(silence);
    }

    private static void applyTo(LoggerContext context, Level level, Format format) {
        if (context.getTurboFilterList().stream().noneMatch(Repeats.class::isInstance)) {
            context.addTurboFilter(new Repeats(System::nanoTime));
        }
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

    /**
     * Limits how many exceptions are logged, because a peer that has found a bug may trigger it thousands of times a second. The log gets
     * each kind of exception once a minute, with its stack. The filter counts the repetitions and logs their number before the first line
     * that follows that minute.
     */
    static final class Repeats extends TurboFilter {
        static final long WINDOW = TimeUnit.MINUTES.toNanos(1);

        private static final int MOST_KINDS = 100;

        private final LongSupplier nanos;
        private final Map<String, Integer> seen = new LinkedHashMap<>();
        private long since;

        /** @param nanos a clock that only goes forward */
        Repeats(LongSupplier nanos) {
            this.nanos = nanos;
        }

        @Override
        public FilterReply decide(
                @Nullable Marker marker,
                ch.qos.logback.classic.Logger logger,
                ch.qos.logback.classic.Level level,
                @Nullable String format,
                Object @Nullable [] arguments,
                @Nullable Throwable thrown) {
            if (format == null || !level.isGreaterOrEqual(logger.getEffectiveLevel())) {
                return FilterReply.NEUTRAL; // without a format, the caller only asks whether the level is logged
            }
            Throwable exception = thrown == null ? last(arguments) : thrown;
            List<String> finished;
            boolean first;
            synchronized (seen) {
                finished = finished();
                first = exception == null || isFirst(exception);
            }
            finished.forEach(logger::warn);
            return first ? FilterReply.NEUTRAL : FilterReply.DENY;
        }

        private static @Nullable Throwable last(Object @Nullable [] arguments) {
            return arguments != null
                            && arguments.length > 0
                            && arguments[arguments.length - 1] instanceof Throwable exception
                    ? exception
                    : null;
        }

        private List<String> finished() {
            List<String> lines = new ArrayList<>();
            if (!seen.isEmpty() && nanos.getAsLong() - since >= WINDOW) {
                seen.forEach((kind, count) -> {
                    if (count > 1) {
                        lines.add((count - 1) + " more in a minute were not logged: " + kind);
                    }
                });
                seen.clear();
            }
            return lines;
        }

        private boolean isFirst(Throwable exception) {
            if (seen.isEmpty()) {
                since = nanos.getAsLong();
            }
            StackTraceElement[] stack = exception.getStackTrace();
            String kind = exception.getClass().getName() + (stack.length == 0 ? "" : " at " + stack[0]);
            return seen.merge(seen.size() < MOST_KINDS ? kind : "other exceptions", 1, Integer::sum) == 1;
        }
    }
}
