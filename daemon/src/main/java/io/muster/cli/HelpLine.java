package io.muster.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A line of help as picocli prints it. */
final class HelpLine {
    private static final Pattern COLOUR = Pattern.compile("\033\\[[0-9;]*m");
    /** The beginning of a line of help before its text: spaces, or an option or a verb between spaces. */
    private static final Pattern LABEL = Pattern.compile(" +(?:\\S+(?: \\S+)* {2,})?");

    private HelpLine() {}

    /**
     * Wraps a line of help at spaces only, below its description. picocli would break words too, such as {@code 16:00} and
     * {@code ~/.config}.
     */
    static String wrap(String line, int width) {
        String bare = COLOUR.matcher(line.stripTrailing()).replaceAll("");
        if (bare.length() <= width) {
            return line.stripTrailing() + "\n";
        }
        Matcher label = LABEL.matcher(bare);
        int indent = label.lookingAt() ? label.end() : 0;
        int coloured = line.indexOf(bare.substring(indent));
        StringBuilder text = new StringBuilder(coloured < 0 ? bare.substring(0, indent) : line.substring(0, coloured));
        int column = indent;
        for (String word : bare.substring(indent).split(" ")) {
            boolean fits = column == indent || column + 1 + word.length() <= width;
            text.append(fits ? column == indent ? "" : " " : "\n" + " ".repeat(indent))
                    .append(word);
            column = (fits ? column + (column == indent ? 0 : 1) : indent) + word.length();
        }
        return text.append('\n').toString();
    }
}
