package io.muster.inventory.graph;

import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** Keeps the best matches of a walk in descending order of score (RFC 4); among equal scores the lowest vertex comes first. */
public final class Accumulator {
    /** A vertex and how well it matched. */
    public record Match(int vertex, double score) {}

    private final int capacity;
    private final TreeSet<Match> matches =
            new TreeSet<>(Comparator.comparingDouble(Match::score).reversed().thenComparingInt(Match::vertex));

    public Accumulator(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("an accumulator must hold at least one match");
        }
        this.capacity = capacity;
    }

    public void push(int vertex, double score) {
        matches.add(new Match(vertex, score));
        if (matches.size() > capacity) {
            matches.pollLast();
        }
    }

    public List<Match> matches() {
        return List.copyOf(matches);
    }
}
