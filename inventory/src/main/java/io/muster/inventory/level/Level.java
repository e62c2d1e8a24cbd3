package io.muster.inventory.level;

/**
 * A format level: the kinds of events and the keys that may stand in a state directory. Every file names the level in which it
 * is written, and the first version that reads this level. A new level is a new constant here; from then on the daemon writes the
 * additions of the new level only where {@link #includes} permits them.
 *
 * <p>After an upgrade of the program, the daemon continues in the level that it finds, so that the earlier version can start
 * again. {@code muster upgrade finish} ends this.
 */
public enum Level {
    ONE(1, "0.1.0", "the format of 0.1.0");

    public static final Level NEWEST = values()[values().length - 1];

    private final int number;
    private final String needs;
    private final String adds;

    Level(int number, String needs, String adds) {
        this.number = number;
        this.needs = needs;
        this.adds = adds;
    }

    public int number() {
        return number;
    }

    /** Returns the first version of Muster that reads this level. */
    public String needs() {
        return needs;
    }

    /** Returns the additions of this level to the previous level. */
    public String adds() {
        return adds;
    }

    public boolean includes(Level other) {
        return compareTo(other) >= 0;
    }

    public static boolean isKnown(long number) {
        return number >= ONE.number() && number <= NEWEST.number();
    }

    /** @param number the number of a known level */
    public static Level of(long number) {
        return values()[(int) number - 1];
    }

    /**
     * Returns the rest of a sentence about a file or an event in a level that this version does not know.
     *
     * @param needs the first version that reads it; "" if the file does not say
     */
    public static String unknown(long number, String needs) {
        boolean unreleased = needs.isEmpty() || needs.equals(NEWEST.needs());
        return "format level " + number + ", and this version reads levels up to " + NEWEST.number() + ": "
                + (unreleased ? "a version that was never released wrote it" : "start muster " + needs + " or later");
    }
}
