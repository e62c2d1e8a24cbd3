package io.muster.cli.terminal;

/** The sort order of cells: first empty cells, then numbers and ages by size, then text. */
final class Order {
    private static final String UNITS = "smhdy";
    private static final double[] SECONDS = {1, 60, 3600, 86_400, 31_536_000};

    private Order() {}

    static int compare(String a, String b) {
        int byKind = Integer.compare(kind(a), kind(b));
        if (byKind != 0) {
            return byKind;
        }
        int bySize = Double.compare(size(a), size(b));
        return bySize == 0 ? a.compareTo(b) : bySize;
    }

    private static int kind(String cell) {
        return cell.isEmpty() || cell.equals("-") ? 0 : size(cell) >= 0 ? 1 : 2;
    }

    /** Returns the size of a whole number, or of a duration as {@link Times#span} writes it; negative for anything else. */
    private static double size(String cell) {
        double sum = 0;
        long number = 0;
        boolean inNumber = false;
        for (int i = 0; i < cell.length(); i++) {
            char c = cell.charAt(i);
            int unit = UNITS.indexOf(c);
            if (c >= '0' && c <= '9' && i < 18) {
                number = 10 * number + (c - '0');
                inNumber = true;
            } else if (inNumber && unit >= 0) {
                sum += number * SECONDS[unit];
                number = 0;
                inNumber = false;
            } else {
                return -1;
            }
        }
        return sum + number;
    }
}
