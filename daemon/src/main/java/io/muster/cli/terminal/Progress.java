package io.muster.cli.terminal;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Shows the progress of long work as a line of a terminal that is drawn again and again; nothing where there is no terminal. */
public final class Progress implements AutoCloseable {
    private static final int BAR = 30;
    private static final long REDRAW_NANOS = 100_000_000L;

    private final Console console;
    private final String what;
    private final long total;
    private final LongSupplier clock;
    private final long begun;
    private long lastNanos;
    private boolean drawn;

    /**
     * Begins to show progress. Nothing is shown for work that ends quickly.
     *
     * @param what the work, for the user
     * @param total the amount of work, in the unit of {@link #at(long)}
     */
    public Progress(Console console, String what, long total) {
        this(console, what, total, System::nanoTime);
    }

    /** Begins to show the progress of work whose amount is not known. */
    public Progress(Console console, String what) {
        this(console, what, 0);
    }

    Progress(Console console, String what, long total, LongSupplier clock) {
        this.console = console;
        this.what = what;
        this.total = total;
        this.clock = clock;
        this.begun = clock.getAsLong();
        this.lastNanos = begun;
    }

    public void at(long done) {
        if (isDue()) {
            console.redraw(bar(what, done, total));
        }
    }

    /** @param unit what is counted, such as {@code events read} */
    public void at(long done, String unit) {
        if (isDue()) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(lastNanos - begun);
            console.redraw(String.format(Locale.ROOT, "%s: %,d %s, %d s", what, done, unit, seconds));
        }
    }

    private boolean isDue() {
        long now = clock.getAsLong();
        if (!console.terminal().isError() || now - lastNanos < REDRAW_NANOS) {
            return false;
        }
        lastNanos = now;
        drawn = true;
        return true;
    }

    static String bar(String what, long done, long total) {
        int percent = total <= 0 ? 100 : (int) Math.min(100, 100 * done / total);
        int filled = BAR * percent / 100;
        return what + " [" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] " + percent + "%";
    }

    /** Removes the bar from its line. */
    @Override
    public void close() {
        if (drawn) {
            console.redraw("");
        }
    }
}
