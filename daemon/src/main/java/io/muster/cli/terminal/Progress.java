package io.muster.cli.terminal;

/** Shows the progress of long work: on a terminal as a bar that is redrawn, elsewhere as a line now and then. */
public final class Progress implements AutoCloseable {
    private static final int BAR = 30;
    private static final long REDRAW_NANOS = 100_000_000L;
    private static final long LINE_NANOS = 10_000_000_000L;

    private final Console console;
    private final String what;
    private final long total;
    private long lastNanos = System.nanoTime();
    private boolean drawn;

    /**
     * Begins to show progress. Nothing is shown for work that ends quickly.
     *
     * @param what the work, for the user
     * @param total the amount of work, in the unit of {@link #at}
     */
    public Progress(Console console, String what, long total) {
        this.console = console;
        this.what = what;
        this.total = total;
    }

    public void at(long done) {
        long now = System.nanoTime();
        boolean bar = console.terminal().isError();
        if (now - lastNanos < (bar ? REDRAW_NANOS : LINE_NANOS)) {
            return;
        }
        lastNanos = now;
        if (bar) {
            drawn = true;
            console.redraw(bar(what, done, total));
        } else {
            console.complain(what + ": " + percent(done, total) + "%");
        }
    }

    static String bar(String what, long done, long total) {
        int percent = percent(done, total);
        int filled = BAR * percent / 100;
        return what + " [" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] " + percent + "%";
    }

    private static int percent(long done, long total) {
        return total <= 0 ? 100 : (int) Math.min(100, 100 * done / total);
    }

    /** Removes the bar from its line. */
    @Override
    public void close() {
        if (drawn) {
            console.redraw("");
        }
    }
}
