package io.muster.inventory.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lays out a tree of boxes from left to right, and writes the boxes as an SVG image. The text has a font of equal widths. */
final class Drawing {
    private static final int CHAR = 7;
    private static final int HEIGHT = 22;
    private static final int ROW = 28;
    private static final int GAP = 40;
    private static final int MARGIN = 8;

    /** A box; {@code y} is the upper edge. */
    record Box(String text, String colour, int level, int y, List<Box> below) {
        int width() {
            return CHAR * text.codePointCount(0, text.length()) + 2 * MARGIN;
        }
    }

    private final List<Box> boxes = new ArrayList<>();
    private int rows;

    /** Adds a box to the left of the middle of the boxes below it, which must have been added before. */
    Box add(String text, String colour, int level, List<Box> below) {
        if (boxes.size() >= Picture.MOST_BOXES) {
            throw new IllegalArgumentException("an image has " + Picture.MOST_BOXES + " boxes at most");
        }
        int y = below.isEmpty() ? MARGIN + ROW * rows++ : (below.get(0).y + below.get(below.size() - 1).y) / 2;
        Box box = new Box(text, colour, level, y, List.copyOf(below));
        boxes.add(box);
        return box;
    }

    String svg() {
        List<Integer> left = new ArrayList<>(List.of(MARGIN));
        int levels = 1 + boxes.stream().mapToInt(Box::level).max().orElse(0);
        for (int level = 0; level < levels; level++) {
            int at = level;
            int widest = boxes.stream()
                    .filter(b -> b.level == at)
                    .mapToInt(Box::width)
                    .max()
                    .orElse(0);
            left.add(left.get(level) + widest + GAP);
        }
        int width = left.get(levels) - GAP + MARGIN;
        StringBuilder out = new StringBuilder("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")
                .append(width)
                .append("\" height=\"")
                .append(MARGIN + ROW * rows)
                .append("\" viewBox=\"0 0 " + width + " " + (MARGIN + ROW * rows))
                .append("\" font-family=\"monospace\" font-size=\"12\">\n");
        boxes.forEach(box -> svg(box, left, out));
        return out.append("</svg>\n").toString();
    }

    /**
     * Writes a box and the lines to the boxes below it.
     *
     * @param left for each level, the left edge of its boxes
     */
    private static void svg(Box box, List<Integer> left, StringBuilder out) {
        int x = left.get(box.level);
        int middle = box.y + HEIGHT / 2;
        for (Box child : box.below) {
            int end = left.get(child.level);
            int other = child.y + HEIGHT / 2;
            int turn = end - GAP;
            int bend = end - GAP / 2;
            out.append(String.format(
                    Locale.ROOT,
                    "<path d=\"M%d %d H%d C%d %d %d %d %d %d\" fill=\"none\" stroke=\"#888888\"/>\n",
                    x + box.width(),
                    middle,
                    turn,
                    bend,
                    middle,
                    bend,
                    other,
                    end,
                    other));
        }
        out.append(String.format(
                Locale.ROOT,
                """
                <rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="%s" stroke="#444444"/>
                <text x="%d" y="%d" textLength="%d">%s</text>
                """,
                x,
                box.y,
                box.width(),
                HEIGHT,
                box.colour,
                x + MARGIN,
                box.y + 15,
                box.width() - 2 * MARGIN,
                xml(box.text)));
    }

    /** Returns a text escaped for XML. XML 1.0 cannot represent U+FFFE and U+FFFF, which a tag may contain. */
    private static String xml(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace('\ufffe', '\ufffd')
                .replace('\uffff', '\ufffd');
    }
}
