package io.muster.inventory.request;

import io.muster.inventory.problem.MalformedException;
import java.util.List;

/**
 * The form of a list of resources for the command line (RFC 46), such as {@code slot=4/node/[core=2;gpu]}.
 *
 * <p>This parser refuses input that flux-core's parser accepts but of which flux-core's parser loses a part: duplicate keys and
 * labels, {@code node=} without a count, counts that do not form a range.
 */
public final class Shape {
    /**
     * The label of a slot without a label, if it is the only slot, as in RFC 46's examples; flux-core's own tools use {@code
     * task}.
     */
    public static final String DEFAULT_LABEL = "default";

    /** The highest number of characters in a shape. */
    public static final int MAX_CHARS = 65_536;

    private Shape() {}

    /**
     * Reads a shape.
     *
     * @throws MalformedException with the subject "shape" and what the parser expected; {@link #caret} shows the position
     */
    public static List<Resource> parse(CharSequence text) {
        return parse(text, DEFAULT_LABEL);
    }

    /**
     * Reads a shape.
     *
     * @param defaultLabel label of a slot without a label, if it is the only slot
     */
    public static List<Resource> parse(CharSequence text, String defaultLabel) {
        return new ShapeParser(text.toString(), defaultLabel).parse();
    }

    /** Returns the shortest shape that {@link #parse(CharSequence)} reads back as {@code resources}. */
    public static String print(List<Resource> resources) {
        return print(resources, DEFAULT_LABEL);
    }

    public static String print(List<Resource> resources, String defaultLabel) {
        return new ShapeWriter(resources, defaultLabel).write();
    }

    /** Returns two lines that show the position of the fault: the line of the input, and a caret below the column. */
    public static String caret(MalformedException e) {
        int at = Math.min(e.position(), e.input().length());
        int start = e.input().lastIndexOf('\n', at - 1) + 1;
        int end = e.input().indexOf('\n', at);
        String line = e.input().substring(start, end < 0 ? e.input().length() : end);
        int column = line.codePointCount(0, Math.min(at - start, line.length()));
        int cut = Math.max(0, column - 60);
        String shown = line.substring(line.offsetByCodePoints(0, cut));
        String kept = shown.codePointCount(0, shown.length()) > 80
                ? shown.substring(0, shown.offsetByCodePoints(0, 77)) + "..."
                : shown;
        String lead = cut > 0 ? "..." : "";
        return "  " + lead + kept.replace('\t', ' ') + "\n  " + " ".repeat(lead.length() + column - cut) + "^";
    }
}
