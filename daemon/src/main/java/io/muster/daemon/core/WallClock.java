package io.muster.daemon.core;

import io.muster.inventory.axis.Epoch;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock that gives the daemon's time. As long as the wall clock and the monotonic clock advance alike, the daemon's time
 * is that of the wall clock. If the wall clock jumps further than {@link Limits#jump}, it is <em>doubted</em>: the daemon's
 * time continues from where it was, by the monotonic clock, and no hold expires and no history is deleted for its age. The
 * doubt ends if the wall clock jumps back, if it has kept its new time for {@link Limits#settle}, or if an admin accepts the
 * new time. A standby also doubts a clock that is more than {@link #APART} from that of the leader, and continues the leader's time. May
 * be used on any thread.
 */
public final class WallClock implements InstantSource {
    private static final Logger log = LoggerFactory.getLogger("muster");
    private static final double NANOS = 1e9;

    /** By how many seconds the clocks of two daemons may differ: less than holds and the ids of changes last. */
    private static final double APART = 60;

    /**
     * The limits within which clocks are not doubted, in seconds; each limit may be infinite.
     *
     * @param jump by how much the wall clock may be set at once
     * @param gap how much later than the last known time a start of the daemon may be
     * @param settle how long the clock is doubted if it keeps its new time
     */
    public record Limits(double jump, double gap, double settle) {}

    private final InstantSource wall;
    private final LongSupplier nanos;
    private Limits limits;

    /** The daemon's time at the moment when the monotonic clock showed {@link #mark}. */
    private double known;

    private long mark;
    /** The latest time of an event; 0 if there is none. */
    private double reached;

    /** How far the wall clock may be ahead of the daemon's time, and how far behind it. */
    private double mostAhead;

    private double mostBehind;

    private @Nullable Doubt doubt;

    /**
     * The reason for which the wall clock is doubted.
     *
     * @param jump by how many seconds the wall clock is ahead of the daemon's time; negative if it is behind
     * @param since the daemon's time at the jump
     * @param early whether the daemon's time continues that of an earlier process, which may have ended long ago
     */
    private record Doubt(Kind kind, double jump, double since, boolean early) {
        enum Kind {
            JUMP,
            /** The jump was found when the daemon started. */
            START,
            /** Another daemon, which leads, has another time. */
            APART
        }

        String sentence() {
            String distance = span(Math.abs(jump));
            return switch (kind) {
                case JUMP -> "the clock jumped " + distance + (jump > 0 ? " ahead" : " back") + " at " + time(since);
                case START ->
                    "at the start the clock was " + distance + (jump > 0 ? " after" : " before")
                            + " the last known time, " + time(since);
                case APART ->
                    "the clock is " + distance + (jump > 0 ? " ahead of" : " behind")
                            + " the clock of the daemon that led at " + time(since) + ", so other daemons lead first";
            };
        }
    }

    /** @param nanos a monotonic clock in nanoseconds */
    public WallClock(InstantSource wall, LongSupplier nanos, Limits limits) {
        this.wall = wall;
        this.nanos = nanos;
        this.limits = limits;
        trust(wallSeconds(), nanos.getAsLong());
    }

    public synchronized void limits(Limits next) {
        mostAhead = doubt == null ? next.jump : mostAhead;
        mostBehind = doubt == null ? next.jump : mostBehind;
        limits = next;
    }

    /**
     * Compares the wall clock with the last known time, when the daemon starts.
     *
     * @param last when something was last written to disk, in seconds since the epoch; 0 if nothing ever was
     */
    public synchronized void start(double last) {
        if (last > 0) {
            known = last;
            mark = nanos.getAsLong();
            mostAhead = limits.gap;
            read(true);
        }
    }

    /**
     * Returns the daemon's time in seconds since the epoch. The result is after the epoch and before the year 10000, even if the wall
     * clock shows another year.
     */
    public synchronized double now() {
        return Math.max(read(false), reached);
    }

    /** Returns the time of the monotonic clock in nanoseconds. */
    long nanos() {
        return nanos.getAsLong();
    }

    /**
     * Returns what {@link #now} returns, but by the clocks of this host alone, for other daemons to compare: it may be before the time of an
     * event. Empty if the time may be too early by any span, because the wall clock is doubted since the start of the daemon.
     */
    public synchronized OptionalDouble own() {
        double time = read(false);
        return doubt != null && doubt.early ? OptionalDouble.empty() : OptionalDouble.of(time);
    }

    /**
     * Keeps the daemon's time at or after {@code time} from now on, because an event has this time: the clock may have been
     * set back since, or be that of another daemon.
     */
    public synchronized void reached(double time) {
        reached = Math.max(reached, time);
    }

    /**
     * Compares the wall clock with the time of the daemon that leads. If they are far apart, the wall clock is doubted, and the daemon's
     * time continues from that of the leader.
     *
     * @param time the leader's time, in seconds since the epoch
     * @param age for how many seconds at most this was the leader's time
     * @return whether the wall clock agrees
     */
    public synchronized boolean agrees(double time, double age) {
        long tick = nanos.getAsLong();
        double shown = wallSeconds();
        double ahead = shown - time;
        double most = mostApart();
        Doubt before = doubt;
        if (isNear(ahead, age, most)) {
            if (before != null) {
                log.warn("the clock agrees with that of the daemon that leads: expiry and retention continue");
                trust(shown, tick);
            }
            return true;
        }
        known = time;
        mark = tick;
        mostAhead = most;
        mostBehind = most;
        Doubt next = new Doubt(Doubt.Kind.APART, ahead, time, false);
        doubt = next;
        if (before == null || before.kind != next.kind || Math.abs(ahead - before.jump) > most) {
            log.warn("{}", sentence(next));
        }
        return false;
    }

    /** Returns whether the wall clock agrees with such a time, and changes nothing. */
    public synchronized boolean isNear(double time, double age) {
        return isNear(wallSeconds() - time, age, mostApart());
    }

    private static boolean isNear(double ahead, double age, double most) {
        return ahead >= -most && ahead <= most + age;
    }

    private double mostApart() {
        return Math.min(limits.jump, APART);
    }

    @Override
    public Instant instant() {
        return instant(now());
    }

    public synchronized boolean isDoubted() {
        read(false);
        return doubt != null;
    }

    /**
     * Returns by how many seconds the wall clock is ahead of the daemon's time, negative if it is behind; 0 if the clock is
     * not doubted.
     */
    public synchronized double jump() {
        read(false);
        return doubt == null ? 0 : doubt.jump;
    }

    /**
     * Returns a sentence that says why the clock is doubted, what the consequences are, and until when; "" if the clock is
     * not doubted.
     */
    public synchronized String trouble() {
        read(false);
        return doubt == null ? "" : sentence(doubt);
    }

    /** Makes the time of the wall clock the daemon's time, because an admin has checked it. */
    public synchronized void accept(Object by) {
        read(false);
        if (doubt != null) {
            log.warn("{} accepted the clock: expiry and retention continue", by);
            trust(wallSeconds(), nanos.getAsLong());
        }
    }

    private double read(boolean starting) {
        long tick = nanos.getAsLong();
        double shown = wallSeconds();
        double own = Math.min(Epoch.rounded(known + (tick - mark) / NANOS), Epoch.LAST);
        double ahead = shown - own;
        Doubt before = doubt;
        if (ahead >= -mostBehind && ahead <= mostAhead) {
            if (before != null) {
                log.warn("the clock shows the expected time again: expiry and retention continue");
            }
            trust(shown, tick);
            return shown;
        }
        if (before == null || Math.abs(ahead - before.jump) > limits.jump) {
            Doubt.Kind kind = starting ? Doubt.Kind.START : Doubt.Kind.JUMP;
            Doubt next = new Doubt(kind, ahead, own, starting || (before != null && before.early));
            doubt = next;
            log.warn("{}", sentence(next));
        } else if (own - before.since >= limits.settle) {
            log.warn("the clock has kept its time for {}: expiry and retention continue by it", span(limits.settle));
            trust(shown, tick);
            return shown;
        }
        return own;
    }

    private void trust(double shown, long tick) {
        known = shown;
        mark = tick;
        mostAhead = limits.jump;
        mostBehind = limits.jump;
        doubt = null;
    }

    private String sentence(Doubt why) {
        String until = Double.isInfinite(limits.settle) ? "" : time(why.since + limits.settle) + " or ";
        return why.sentence() + ": expiry and retention are paused until " + until
                + "`muster clock accept`, and the daemon goes by its" + " own time";
    }

    /**
     * Returns the time of the wall clock. JDK 17 computes microseconds since the epoch by way of nanoseconds, which overflow
     * after 292 years, so the seconds are read first.
     */
    private double wallSeconds() {
        Instant shown = wall.instant();
        if (shown.getEpochSecond() < Epoch.FIRST) {
            return Epoch.FIRST;
        }
        return shown.getEpochSecond() >= Epoch.LAST
                ? Epoch.LAST
                : Epoch.ofMicros(shown.getEpochSecond() * 1_000_000 + shown.getNano() / 1_000);
    }

    private static Instant instant(double seconds) {
        double whole = Math.floor(seconds);
        return Instant.ofEpochSecond((long) whole, Math.round((seconds - whole) * 1e6) * 1_000);
    }

    private static String time(double seconds) {
        return instant(Math.min(seconds, Epoch.LAST))
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
    }

    /** Returns a duration for people: {@code PT59S} becomes {@code 59s}. Days are the largest unit. */
    private static String span(double seconds) {
        Duration time = Duration.ofSeconds(Math.round(seconds));
        long days = time.toDays();
        String rest = time.minusDays(days).toString().substring("PT".length()).toLowerCase(Locale.ROOT);
        return days == 0 ? rest : days + "d" + (rest.equals("0s") ? "" : rest);
    }
}
