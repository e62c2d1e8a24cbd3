package io.muster.inventory.find;

import io.muster.inventory.find.Expression.And;
import io.muster.inventory.find.Expression.Comparison;
import io.muster.inventory.find.Expression.Node;
import io.muster.inventory.find.Expression.Not;
import io.muster.inventory.find.Expression.Or;
import io.muster.inventory.find.Expression.Path;
import io.muster.inventory.find.Expression.Related;
import io.muster.inventory.find.Expression.Scope;
import io.muster.inventory.find.Expression.Word;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Extended;
import io.muster.inventory.graph.Pool;
import io.muster.inventory.graph.PoolKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Unit;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Evaluates one expression as operations on sets of vertices: the cost depends on the number of terms and intervals, and not
 * on the number of vertices, if the store of the graph knows the set of a term.
 */
final class Finder {
    /** The number of candidates up to which looking at each of them is faster than computing a set of all vertices. */
    private static final int FEW = 4096;

    /** The highest number of vertices that a term looks at one by one, if it has to know the path of each. */
    private static final int MOST_PATHS = 1 << 20;

    private final ResourceGraph graph;
    private final ResourceSet r;
    private final Expression expression;
    private final Runnable step;
    private final Map<String, Idset> domains = new HashMap<>();

    /**
     * @param r the R whose ranks the nodes of the graph stand for
     * @param step called before each term
     */
    Finder(ResourceGraph graph, ResourceSet r, Expression expression, Runnable step) {
        this.graph = graph;
        this.r = r;
        this.expression = expression;
        this.step = step;
    }

    /**
     * Returns the vertices of {@code candidates} that satisfy the expression.
     *
     * @param subsystem the subsystem whose edges {@code in} and {@code has} follow
     * @throws MalformedException if the expression names something that the graph does not have
     */
    Idset find(String subsystem, Idset candidates) {
        return find(expression.root(), subsystem, candidates);
    }

    private Idset find(Node node, String subsystem, Idset within) {
        step.run();
        if (node instanceof And and) {
            Idset found = within;
            List<Node> parts = new ArrayList<>(and.parts());
            parts.sort(Comparator.comparingInt(Finder::cost));
            for (Node part : parts) {
                found = find(part, subsystem, found);
            }
            return found;
        }
        if (node instanceof Or or) {
            Idset found = Idset.EMPTY;
            for (Node part : or.parts()) {
                found = found.union(find(part, subsystem, within));
            }
            return found;
        }
        if (node instanceof Not not) {
            return within.subtract(find(not.inside(), subsystem, within));
        }
        if (node instanceof Related related) {
            return related(related, subsystem, within);
        }
        if (node instanceof Scope scope) {
            checkSubsystem(scope);
            return find(scope.inside(), scope.subsystem(), within.intersect(domain(scope.subsystem())));
        }
        if (node instanceof Word word) {
            return word(word, within);
        }
        if (node instanceof Path path) {
            return path(path, subsystem).intersect(within);
        }
        return compare((Comparison) node, within);
    }

    /**
     * Returns a number by which terms are ordered: a term that few vertices satisfy comes first, and a term that examines each
     * candidate comes last.
     */
    private static int cost(Node node) {
        if (node instanceof Comparison comparison) {
            return switch (comparison.key().kind()) {
                case TAG, DATA, STATE, CLASS, TICKET -> 0;
                case ID, UUID -> 2;
                default -> 1;
            };
        }
        return node instanceof Path ? 0 : 1;
    }

    private void checkSubsystem(Scope scope) {
        if (!graph.subsystems().contains(scope.subsystem())) {
            throw expression.fault(
                    scope.at(),
                    "there is no subsystem " + scope.subsystem() + "; there are "
                            + String.join(", ", graph.subsystems()));
        }
    }

    private Idset related(Related related, String subsystem, Idset within) {
        String along = related.operand() instanceof Scope scope ? scope.subsystem() : subsystem;
        Idset operand = find(related.operand(), subsystem, graph.all());
        Idset domain = domain(along);
        if (!operand.isEmpty() && !operand.intersects(domain)) {
            String other = graph.subsystems().stream()
                    .filter(s -> operand.intersects(graph.in(s)))
                    .findFirst()
                    .orElse("");
            throw expression.fault(
                    related.at(),
                    "this is not in subsystem " + along
                            + (other.isEmpty() ? "" : " but in " + other + ", as " + other + ":... would say"));
        }
        Idset at = operand.intersect(domain);
        Idset found = related.below() ? Hosts.below(graph, at, along) : above(at, along);
        return find(related.of(), subsystem, within.intersect(found).intersect(domain));
    }

    /** Returns the vertices from which {@link Hosts#below} reaches one of {@code vertices}. */
    private Idset above(Idset vertices, String along) {
        Idset holding = graph.above(vertices, EdgeKind.CONTAINMENT);
        return along.equals(EdgeKind.CONTAINMENT)
                ? holding
                : graph.above(vertices.union(holding), along).union(holding);
    }

    /** Returns the vertices of a subsystem and everything that they contain. */
    private Idset domain(String subsystem) {
        return domains.computeIfAbsent(
                subsystem, s -> s.equals(EdgeKind.CONTAINMENT) ? graph.in(s) : Hosts.parts(graph, graph.in(s)));
    }

    private Idset word(Word word, Idset within) {
        Pattern pattern = word.pattern();
        boolean[] known = {false};
        graph.ofKind(kind -> {
            known[0] |= pattern.matches(kind.type());
            return false;
        });
        if (known[0]) {
            return ofKind(within, kind -> pattern.matches(kind.type()));
        }
        Idset named = word.typeOnly() ? Idset.EMPTY : named(pattern);
        if (named.isEmpty()) {
            String noun = word.typeOnly() ? "there is no type " : "there is no type and no name ";
            throw expression.fault(word.at(), noun + pattern.text());
        }
        return named.intersect(within);
    }

    private Idset ofPool(Idset within, Predicate<Pool> test) {
        return within.size() < FEW
                ? graph.where(within, v -> test.test(graph.pool(v)))
                : within.intersect(graph.ofPool(test));
    }

    private Idset ofKind(Idset within, Predicate<PoolKind> test) {
        return within.size() < FEW
                ? graph.where(within, v -> test.test(graph.pool(v).kind()))
                : within.intersect(graph.ofKind(test));
    }

    private Idset named(Pattern pattern) {
        return pattern.isGlob() ? graph.ofPool(pool -> pattern.matches(pool.name())) : graph.named(pattern.literals());
    }

    /** Returns the vertices to which a path leads, name by name from the top of the subsystem. */
    private Idset path(Path path, String subsystem) {
        String[] names = path.path().text().split("/", -1);
        Idset found = Idset.EMPTY;
        for (int i = 1; i < names.length; i++) {
            Pattern name = new Pattern(names[i], path.path().exact(), null);
            if (i > 1 && !name.isGlob()) {
                found = graph.children(found, subsystem, name.text());
            } else {
                Idset next = i == 1 ? graph.tops(subsystem) : graph.children(found, subsystem);
                found = graph.where(next, v -> name.matches(graph.pool(v).name()));
            }
        }
        if (found.isEmpty() && !path.path().isGlob()) {
            throw expression.fault(path.at(), "there is no path " + path.path().text() + " in subsystem " + subsystem);
        }
        return found;
    }

    private Idset compare(Comparison comparison, Idset within) {
        Operator operator = comparison.operator();
        Pattern value = comparison.value();
        String name = comparison.key().name();
        return switch (comparison.key().kind()) {
            case TYPE -> ofKind(within, k -> operator.test(value).test(k.type()));
            case BASENAME -> ofKind(within, k -> operator.test(value).test(k.basename()));
            case UNIT -> ofKind(within, k -> operator.test(value).test(k.unit()));
            case SIZE -> {
                Quantity limit = value.quantity();
                checkUnit(limit, comparison.at());
                yield ofKind(within, k -> Score.quantity(k).is(operator, limit));
            }
            case NAME -> operator == Operator.EQUAL ? within.intersect(named(value)) : within.subtract(named(value));
            case PROPERTY -> within.intersect(property(name, operator.test(value)));
            case TAG ->
                within.intersect(graph.withData(data -> {
                    String given = data.tags().get(name);
                    return given != null && operator.test(value).test(given);
                }));
            case DATA ->
                within.intersect(graph.withData(data -> Score.member(data, name)
                        .filter(given -> operator == Operator.PRESENT
                                || (given.isValueNode() && operator.test(value).test(given.asText())))
                        .isPresent()));
            case STATE -> state(comparison, within);
            case CLASS, TICKET -> {
                String key = comparison.key().kind().word();
                yield within.intersect(graph.withData(data -> data.isHeldFor(key, operator.test(value))));
            }
            case RANK -> rank(operator, value, within);
            case ID -> id(operator, value, within);
            case UUID -> uuid(operator.test(value), within);
            case PATH -> throw new IllegalStateException("the parser makes a path of it");
        };
    }

    private Idset property(String name, Predicate<String> test) {
        Idset.Builder having = Idset.builder();
        graph.property(name).forEach((value, vertices) -> having.addAll(test.test(value) ? vertices : Idset.EMPTY));
        return having.build();
    }

    /** Refuses a unit that cannot have prefixes and in which no pool is counted, because such a unit is usually misspelt. */
    private void checkUnit(Quantity limit, int at) {
        String unit = limit.unit();
        if (!Unit.of(unit).isKnown()
                && graph.ofKind(kind -> kind.unit().equals(unit)).isEmpty()) {
            throw expression.fault(
                    at,
                    "no pool is counted in " + unit + "; units with prefixes, such as k, M and Gi, are "
                            + String.join(", ", Unit.BASES));
        }
    }

    private Idset state(Comparison comparison, Idset within) {
        Pattern value = comparison.value();
        Idset found = graph.withData(data -> data.hasState(value::matches));
        if (found.isEmpty() && Extended.STATES.stream().noneMatch(value::matches)) {
            throw expression.fault(
                    comparison.at(),
                    "there is no state " + value.text() + "; there are " + String.join(", ", Extended.STATES));
        }
        return within.intersect(
                comparison.operator() == Operator.EQUAL
                        ? found
                        : graph.withData(data -> data.hasState(any -> true)).subtract(found));
    }

    /** Finds the nodes that stand for the ranks, and their parts. */
    private Idset rank(Operator operator, Pattern value, Idset within) {
        Idset wanted = value.ids();
        Idset all = r.ranks();
        Idset ranks = switch (operator) {
            case EQUAL -> all.intersect(wanted);
            case NOT_EQUAL -> all.subtract(wanted);
            case LESS, GREATER_OR_EQUAL -> half(all, wanted.first(), operator == Operator.LESS);
            default -> half(all, wanted.first() + 1, operator == Operator.LESS_OR_EQUAL);
        };
        return within.intersect(Hosts.parts(graph, graph.nodesOf(r, ranks)));
    }

    /** Returns the ranks below a limit, or the others. */
    private static Idset half(Idset ranks, int limit, boolean lower) {
        Idset below = limit == 0 ? Idset.EMPTY : ranks.intersect(Idset.range(0, limit - 1));
        return lower ? below : ranks.subtract(below);
    }

    private Idset id(Operator operator, Pattern value, Idset within) {
        Idset ids = value.ids();
        return ofPool(within, pool -> {
            long id = pool.id();
            boolean among = id <= Idset.MAX_ID && id >= 0 && ids.contains((int) id);
            return id >= 0
                    && switch (operator) {
                        case EQUAL -> among;
                        case NOT_EQUAL -> !among;
                        default -> operator.accepts(Long.compare(id, ids.first()));
                    };
        });
    }

    private Idset uuid(Predicate<String> test, Idset within) {
        if (within.size() > MOST_PATHS) {
            throw expression.fault(
                    0,
                    "the uuid of " + within.size() + " vertices would be computed, and " + MOST_PATHS
                            + " is the most; add a type, as in `node and uuid=...`");
        }
        return graph.where(within, v -> test.test(graph.pool(v).uuid(graph.address(v))));
    }
}
