package io.muster.inventory.find;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.graph.Accumulator;
import io.muster.inventory.graph.Extended;
import io.muster.inventory.graph.PoolKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The score of a vertex for the evaluating filter of RFC 4: the number that a key has on the vertex, in the unit without
 * prefix. A vertex without such a number has no score and is left out.
 */
final class Score {
    private final SearchKey key;

    private Score(SearchKey key) {
        this.key = key;
    }

    /** @throws MalformedException if the text is no key that can have a number */
    static Score by(String text) {
        @Nullable SearchKey key = SearchKey.of(text);
        boolean fits = key != null
                && (key.kind().isNumber()
                        || (key.kind().isNamed() && !key.name().isEmpty()));
        if (key == null || !fits) {
            throw new MalformedException(
                    "score", text, 0, "expected size, id, rank, property.K, tag.K or data.K, which can be numbers");
        }
        return new Score(key);
    }

    static Quantity quantity(PoolKind kind) {
        return Quantity.of(BigDecimal.valueOf(kind.size()), kind.unit());
    }

    /** Returns a scheduler's object, or the member of the object that further names select. */
    static Optional<JsonNode> member(Extended data, String name) {
        String[] names = name.split("\\.", -1);
        @Nullable JsonNode found = data.scheduler().get(name);
        found = found == null ? data.scheduler().get(names[0]) : found;
        for (int i = 1; i < names.length && found != null && !data.scheduler().containsKey(name); i++) {
            found = found.get(names[i]);
        }
        return Optional.ofNullable(found);
    }

    /** Returns the vertices with the highest scores, in descending order of score. */
    List<Accumulator.Match> best(ResourceGraph graph, Idset found, int most) {
        Accumulator best = new Accumulator(most);
        switch (key.kind()) {
            case SIZE, PROPERTY -> groups(graph, found, most).forEach(best::push);
            case ID ->
                found.forEach(v -> push(
                        best,
                        v,
                        graph.pool(v).id() < 0
                                ? Double.NaN
                                : (double) graph.pool(v).id()));
            case RANK -> found.forEach(v -> push(best, v, graph.rank(v) < 0 ? Double.NaN : (double) graph.rank(v)));
            default ->
                graph.withData(data -> !Double.isNaN(amount(text(data))))
                        .intersect(found)
                        .forEach(v -> push(best, v, amount(text(graph.extended(v)))));
        }
        return best.matches();
    }

    private @Nullable String text(Extended data) {
        return key.kind() == SearchKey.Kind.TAG
                ? data.tags().get(key.name())
                : member(data, key.name()).map(JsonNode::asText).orElse(null);
    }

    private static void push(Accumulator best, int vertex, double score) {
        if (!Double.isNaN(score)) {
            best.push(vertex, score);
        }
    }

    private static double amount(@Nullable String text) {
        @Nullable Quantity quantity = text == null ? null : Quantity.read(text);
        return quantity == null ? Double.NaN : amount(quantity);
    }

    private static double amount(Quantity quantity) {
        return quantity.amount().doubleValue();
    }

    /** Scores each kind or value once. Returns the vertices with the highest scores, with at most {@code most} vertices of one score. */
    private Map<Integer, Double> groups(ResourceGraph graph, Idset found, int most) {
        NavigableMap<Double, Idset.Builder> byScore = new TreeMap<>(Comparator.reverseOrder());
        if (key.kind() == SearchKey.Kind.SIZE) {
            graph.kinds().forEach((kind, vertices) -> add(byScore, amount(quantity(kind)), vertices));
        } else {
            graph.property(key.name()).forEach((value, vertices) -> add(byScore, amount(value), vertices));
        }
        Map<Integer, Double> first = new LinkedHashMap<>();
        for (var like : byScore.entrySet()) {
            Idset vertices = like.getValue().build().intersect(found);
            int before = first.size();
            for (int v = vertices.next(-1); v >= 0 && first.size() < before + most; v = vertices.next(v)) {
                first.putIfAbsent(v, like.getKey());
            }
            if (first.size() >= most) {
                break;
            }
        }
        return first;
    }

    private static void add(Map<Double, Idset.Builder> byScore, double score, Idset vertices) {
        if (!Double.isNaN(score)) {
            byScore.computeIfAbsent(score, s -> Idset.builder()).addAll(vertices);
        }
    }
}
