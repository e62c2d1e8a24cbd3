package io.muster.inventory.jgf;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Maps the vertices of a graph to their ids in JGF and back. Ids that are plain decimal numbers, as Fluxion writes them, are
 * stored as numbers in an open-addressing table, other ids as strings.
 */
public final class VertexIds {
    private static final int MAX_DIGITS = 18;
    private static final long TEXT = -1;

    private final Map<String, Integer> texts = new HashMap<>();
    private final Map<Integer, String> textOf = new HashMap<>();
    private long[] numberOf = new long[16];
    private int[] table = new int[64];
    private int size;

    /**
     * Adds the id of a vertex; returns false if another vertex has the same id. Vertices must be added in ascending order,
     * each once.
     */
    public boolean add(String key, int vertex) {
        long number = number(key);
        if (number == TEXT ? texts.putIfAbsent(key, vertex) != null : !add(number, vertex)) {
            return false;
        }
        numberOf = vertex < numberOf.length ? numberOf : Arrays.copyOf(numberOf, numberOf.length * 2);
        numberOf[vertex] = number;
        size = vertex + 1;
        if (number == TEXT) {
            textOf.put(vertex, key);
        }
        return true;
    }

    private boolean add(long number, int vertex) {
        if (2L * (vertex + 1) > table.length) {
            rehash();
        }
        int at = slot(number);
        boolean free = table[at] == 0;
        if (free) {
            table[at] = vertex + 1;
        }
        return free;
    }

    public int find(String key) {
        long number = number(key);
        return number == TEXT ? texts.getOrDefault(key, -1) : table[slot(number)] - 1;
    }

    public String key(int vertex) {
        return numberOf[vertex] == TEXT ? textOf.getOrDefault(vertex, "") : Long.toString(numberOf[vertex]);
    }

    private static long number(String key) {
        if (key.isEmpty() || key.length() > MAX_DIGITS || (key.length() > 1 && key.charAt(0) == '0')) {
            return TEXT;
        }
        long number = 0;
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (c < '0' || c > '9') {
                return TEXT;
            }
            number = number * 10 + (c - '0');
        }
        return number;
    }

    /** Returns the slot of the table that contains {@code number} or, if no slot does, the free slot where the number belongs. */
    private int slot(long number) {
        int mask = table.length - 1;
        long hash = number * 0x9E3779B97F4A7C15L;
        // Ids without large gaps, as Fluxion writes them, need no hash, and neighbouring ids are then near each other
        // in memory. If the slot of a number is taken, the first step leads away from the slots of its neighbours.
        int at = number <= mask ? (int) number : (int) (hash >>> 32) & mask;
        int step = (int) (hash >>> 16) | 1;
        while (table[at] != 0 && numberOf[table[at] - 1] != number) {
            at = (at + step) & mask;
        }
        return at;
    }

    private void rehash() {
        table = new int[table.length * 4];
        for (int v = 0; v < size; v++) {
            if (numberOf[v] != TEXT) {
                table[slot(numberOf[v])] = v + 1;
            }
        }
    }
}
