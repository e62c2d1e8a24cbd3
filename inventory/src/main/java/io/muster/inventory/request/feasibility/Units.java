package io.muster.inventory.request.feasibility;

import java.util.Locale;

/** The units in which pools and requests give amounts. */
final class Units {
    /** What amounts of bytes are counted in, whatever unit they were given in. */
    static final String BYTES = "B";

    /** An amount cannot be compared with a pool: an error in the request, never a "no". */
    static final class MismatchException extends IllegalArgumentException {
        MismatchException(String type, String asked, String have) {
            super(type + " is asked in " + name(asked) + ", but the inventory counts it in " + name(have));
        }

        private static String name(String unit) {
            return unit.isEmpty() ? "no unit" : unit.equals(BYTES) ? "bytes" : '"' + unit + '"';
        }
    }

    private Units() {}

    static String base(String unit) {
        return bytes(unit) > 0 ? BYTES : unit;
    }

    /** How many base units one of {@code unit} is. */
    static long factor(String unit) {
        return Math.max(1, bytes(unit));
    }

    private static long bytes(String unit) {
        String u = unit.toUpperCase(Locale.ROOT);
        if (!u.endsWith("B") && !u.equals("BYTES")) {
            return 0;
        }
        int power = u.isEmpty() ? -1 : "KMGTPE".indexOf(u.charAt(0));
        if (u.equals("B") || u.equals("BYTES")) {
            return 1;
        }
        boolean binary = u.length() == 3 && u.charAt(1) == 'I';
        if (power < 0 || (u.length() != 2 && !binary)) {
            return 0;
        }
        return Math.round(Math.pow(binary ? 1024 : 1000, power + 1.0));
    }
}
