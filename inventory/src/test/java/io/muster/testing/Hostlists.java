package io.muster.testing;

import io.muster.inventory.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Hostlists and RFC 29 texts, with the plain names that they stand for. */
public final class Hostlists {
    /** Few prefixes, some of which are part of another, so that names in different lists are often equal. */
    private static final String[] PREFIXES = {
        "n", "n", "n", "node", "n1", "n0", "", "rack2-n", "a.b-1", "n99999999999999999"
    };

    private static final String[] SUFFIXES = {"", "", "", "", "-ib", "-eth1", "0", "x"};

    private Hostlists() {}

    /**
     * A text as a person might write it, legal but rarely canonical.
     *
     * @param names names that the text stands for, computed without the code under test
     */
    public record Spelled(String text, List<String> names) {
        public Spelled {
            names = List.copyOf(names);
        }
    }

    public static Hostlist any(Random random) {
        return Hostlist.parse(spelled(random).text());
    }

    /** Returns distinct names in runs, like the nodes of a cluster. */
    public static Hostlist cluster(Random random, int size) {
        List<String> names = new ArrayList<>();
        for (int rack = 0; names.size() < size; rack++) {
            int hosts = Math.min(size - names.size(), 1 + random.nextInt(size));
            String format = random.nextBoolean() ? "r" + rack + "n%d" : "r" + rack + "n%04d";
            for (int i = 0; i < hosts; i++) {
                names.add(String.format(Locale.ROOT, format, i));
            }
        }
        return Hostlist.of(names);
    }

    public static Spelled spelled(Random random) {
        StringBuilder text = new StringBuilder();
        List<String> names = new ArrayList<>();
        for (int expressions = random.nextInt(6); expressions > 0; expressions--) {
            text.append(text.length() > 0 ? "," : "");
            String prefix = PREFIXES[random.nextInt(PREFIXES.length)];
            if (random.nextInt(3) == 0) {
                String name = prefix + (prefix.isEmpty() || random.nextBoolean() ? number(random) : "");
                text.append(name);
                names.add(name);
            } else {
                bracketed(prefix, SUFFIXES[random.nextInt(SUFFIXES.length)], random, text, names);
            }
        }
        return new Spelled(text.toString(), names);
    }

    private static void bracketed(String prefix, String suffix, Random random, StringBuilder text, List<String> names) {
        text.append(prefix).append('[');
        for (int elements = random.nextInt(4); elements >= 0; elements--) {
            String first = number(random);
            long from = Long.parseLong(first);
            long to = from + (random.nextBoolean() ? 0 : random.nextInt(random.nextBoolean() ? 5 : 120));
            for (long n = from; n <= to; n++) {
                names.add(prefix + padded(n, first.length()) + suffix);
            }
            text.append(first).append(to > from ? "-" + padded(to, random.nextBoolean() ? first.length() : 1) : "");
            text.append(elements > 0 ? "," : "");
        }
        text.append(']').append(suffix);
    }

    private static String number(Random random) {
        int bound = new int[] {4, 15, 120, 100_000}[random.nextInt(4)];
        return padded(random.nextInt(bound), random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1);
    }

    private static String padded(long number, int width) {
        return String.format(Locale.ROOT, "%0" + width + "d", number);
    }
}
