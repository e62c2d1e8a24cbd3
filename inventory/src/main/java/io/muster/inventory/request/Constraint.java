package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * The hosts on which a job may run, as a condition on ranks (RFC 31). Where schedulers differ, the RFC decides: {@code or}
 * and {@code and} without values match everything, {@code not} negates the conjunction of its values, and a property never
 * matches a host name.
 */
public sealed interface Constraint {
    /** The operators that join constraints. Their names are those of RFC 31. */
    enum Join {
        AND,
        OR,
        NOT;

        String operator() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the constraint that matches everything, which RFC 31 writes as an empty object. */
    static Constraint all() {
        return and(List.of());
    }

    static Constraint and(List<Constraint> values) {
        return new Joined(Join.AND, values);
    }

    static Constraint or(List<Constraint> values) {
        return new Joined(Join.OR, values);
    }

    /** Returns the constraint that matches a rank unless all of {@code values} match it. */
    static Constraint not(List<Constraint> values) {
        return new Joined(Join.NOT, values);
    }

    /**
     * Returns the ranks of {@code r} that match. The implementations use only set operations, so the cost depends on the
     * number of intervals, not of ranks.
     */
    Idset matches(ResourceSet r);

    ObjectNode toJson();

    /** Adds the name of every property in the constraint, negated or not, to {@code properties}. */
    default void namesInto(Set<String> properties) {}

    /** Returns the names of the properties in the constraint, without the sign of a negation. */
    default Set<String> properties() {
        Set<String> names = new TreeSet<>();
        namesInto(names);
        return names;
    }

    default boolean isAll() {
        return equals(all());
    }

    /**
     * Reads a constraint.
     *
     * @throws InvalidException with every problem, each at its JSON pointer
     */
    static Constraint parse(JsonNode json) {
        return parse(RequestTree.of(json));
    }

    /** Reads a constraint from JSON or YAML. */
    static Constraint parse(String text) {
        return parse(RequestTree.parse("constraint", text));
    }

    private static Constraint parse(RequestTree document) {
        Problems problems = new Problems();
        Constraint constraint = new ConstraintReader(document, problems).read(document.root(), "");
        problems.throwIfAny("constraint");
        return constraint;
    }

    private static ObjectNode json(String operator, List<String> values) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        values.forEach(array::add);
        return JsonNodeFactory.instance.objectNode().set(operator, array);
    }

    /** Constraints joined by one operator. */
    record Joined(Join how, List<Constraint> values) implements Constraint {
        /**
         * The highest number of levels, far above the limit of any reader. The limit bounds the recursion of code that walks
         * a constraint.
         */
        private static final int MAX_DEPTH = 1000;

        public Joined {
            values = List.copyOf(values);
            if (height(values) >= MAX_DEPTH) {
                throw new IllegalArgumentException("a constraint nested deeper than " + MAX_DEPTH + " levels");
            }
        }

        private static int height(List<Constraint> values) {
            int most = 0;
            for (Constraint value : values) {
                most = Math.max(most, value instanceof Joined joined ? 1 + height(joined.values) : 0);
            }
            return most;
        }

        @Override
        public Idset matches(ResourceSet r) {
            Idset all = r.ranks();
            if (how == Join.OR) {
                return values.stream()
                        .map(v -> v.matches(r))
                        .reduce(Idset::union)
                        .orElse(all);
            }
            Idset every = values.stream().map(v -> v.matches(r)).reduce(all, Idset::intersect);
            return how == Join.NOT ? all.subtract(every) : every;
        }

        @Override
        public ObjectNode toJson() {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            values.forEach(v -> array.add(v.toJson()));
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            return isAll() ? json : json.set(how.operator(), array);
        }

        @Override
        public void namesInto(Set<String> names) {
            values.forEach(v -> v.namesInto(names));
        }
    }

    /**
     * Matches ranks that satisfy all of {@code values}: a property that the rank must have or, after {@code ^}, must not have.
     */
    record Properties(List<String> values) implements Constraint {
        public Properties {
            values = List.copyOf(values);
        }

        @Override
        public Idset matches(ResourceSet r) {
            Idset ranks = r.ranks();
            for (String value : values) {
                Idset having = r.properties().getOrDefault(name(value), Idset.EMPTY);
                ranks = value.startsWith("^") ? ranks.subtract(having) : ranks.intersect(having);
            }
            return ranks;
        }

        private static String name(String value) {
            return value.startsWith("^") ? value.substring(1) : value;
        }

        @Override
        public ObjectNode toJson() {
            return json("properties", values);
        }

        @Override
        public void namesInto(Set<String> names) {
            values.forEach(value -> names.add(name(value)));
        }
    }

    /** Matches any of the named hosts. Names of hosts that the inventory does not have match nothing. */
    record Hosts(Hostlist hosts) implements Constraint {
        @Override
        public Idset matches(ResourceSet r) {
            return r.ranksOfKnown(hosts);
        }

        @Override
        public ObjectNode toJson() {
            return json("hostlist", List.of(hosts.toString()));
        }
    }

    record Ranks(Idset ranks) implements Constraint {
        @Override
        public Idset matches(ResourceSet r) {
            return r.ranks().intersect(ranks);
        }

        @Override
        public ObjectNode toJson() {
            return json("ranks", List.of(ranks.toString()));
        }
    }
}
