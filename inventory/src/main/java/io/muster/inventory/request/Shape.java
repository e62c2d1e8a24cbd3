package io.muster.inventory.request;

import io.muster.inventory.problem.MalformedException;
import java.util.List;

/**
 * The command-line form of a resources list (RFC 46): {@code slot=4/node/[core=2;gpu]}.
 *
 * <p>Stricter than flux-core's parser where that one lets an input through and then loses a part of it: duplicate keys and
 * labels, unlabelled quoted slots, {@code node=} without a count, counts that no range has.
 */
public final class Shape {
    /** The label of a sole slot that has none, as RFC 46's examples write it; flux-core's own tools use {@code task}. */
    public static final String DEFAULT_LABEL = "default";

    /** The most characters a shape may have. */
    public static final int MAX_CHARS = 65_536;

    private Shape() {}

    /** @throws MalformedException "shape", with what was expected; {@link #caret} shows where */
    public static List<Resource> parse(CharSequence text) {
        return parse(text, DEFAULT_LABEL);
    }

    /** @param defaultLabel the label for a sole slot that gives none */
    public static List<Resource> parse(CharSequence text, String defaultLabel) {
        return new ShapeParser(text.toString(), defaultLabel).parse();
    }

    /** The shortest shape that {@link #parse(CharSequence)} reads back as {@code resources}. */
    public static String print(List<Resource> resources) {
        return print(resources, DEFAULT_LABEL);
    }

    public static String print(List<Resource> resources, String defaultLabel) {
        return new ShapeWriter(resources, defaultLabel).write();
    }

    /** Two lines that show where a shape went wrong: the line of the input, and a caret below the column. */
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
