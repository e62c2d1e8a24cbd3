package io.muster.inventory.problem;

/**
 * Thrown if a short text, such as an idset, a hostlist or a shape, is refused. {@link #position()} is the index of the
 * character at fault.
 */
public final class MalformedException extends IllegalArgumentException {
    private static final int SHOWN = 80;

    private final String what;
    private final String input;
    private final int position;
    private final String reason;

    /**
     * Creates the exception for a text.
     *
     * @param what the kind of text, such as "idset"
     * @param position index into {@code input} of the first character that cannot be right
     */
    public MalformedException(String what, CharSequence input, int position, String reason) {
        super(what + " " + quote(input, position) + ": " + reason + " at position " + position);
        this.what = what;
        this.input = input.toString();
        this.position = position;
        this.reason = reason;
    }

    public String what() {
        return what;
    }

    public String input() {
        return input;
    }

    public int position() {
        return position;
    }

    public String reason() {
        return reason;
    }

    /** Returns the input, or the part around the fault if the input is long, on one line and without control characters. */
    private static String quote(CharSequence input, int position) {
        if (input.length() <= SHOWN) {
            return '"' + printable(input) + '"';
        }
        int from = Math.max(0, Math.min(position - SHOWN / 2, input.length() - SHOWN));
        int to = from + SHOWN;
        return (from > 0 ? "\"..." : "\"")
                + printable(input.subSequence(from, to))
                + (to < input.length() ? "...\"" : "\"");
    }

    private static String printable(CharSequence text) {
        StringBuilder shown = new StringBuilder(text);
        for (int i = 0; i < shown.length(); i++) {
            if (!Text.isShown(shown.charAt(i)) && !Character.isSurrogate(shown.charAt(i))) {
                shown.setCharAt(i, '?');
            }
        }
        return shown.toString();
    }
}
