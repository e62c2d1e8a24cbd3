package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a constraint (RFC 31) and collects all faults in it. An unknown operator is an error; it never becomes a constraint
 * that no host meets.
 */
final class ConstraintReader {
    /** Characters that RFC 20 forbids in a property; a leading {@code ^} is the negation and is removed before the check. */
    private static final String ILLEGAL = "!&'\"`|()";

    private static final int MAX_DEPTH = 100;

    private final RequestTree document;
    private final Problems problems;
    private int depth;

    ConstraintReader(RequestTree document, Problems problems) {
        this.document = document;
        this.problems = problems;
    }

    Constraint read(JsonNode node, String at) {
        if (!node.isObject()) {
            add(at, "a constraint must be a dictionary, not " + RequestTree.kind(node));
            return Constraint.all();
        }
        if (node.isEmpty()) {
            return Constraint.all();
        }
        if (node.size() > 1) {
            add(at, "a constraint has one operator, not " + node.size() + "; join them with \"and\"");
            return Constraint.all();
        }
        String operator = node.fieldNames().next();
        return operation(operator, node.get(operator), Pointer.of(at, operator));
    }

    private Constraint operation(String operator, JsonNode values, String at) {
        return switch (operator) {
            case "and" -> Constraint.and(constraints(values, at));
            case "or" -> Constraint.or(constraints(values, at));
            case "not" -> Constraint.not(constraints(values, at));
            case "properties" -> new Constraint.Properties(properties(values, at));
            case "hostlist" -> new Constraint.Hosts(hosts(values, at));
            case "ranks" -> new Constraint.Ranks(ranks(values, at));
            default -> {
                add(at, "unknown operator; known are and, or, not, properties, hostlist, ranks");
                yield Constraint.all();
            }
        };
    }

    private List<Constraint> constraints(JsonNode values, String at) {
        List<Constraint> constraints = new ArrayList<>();
        if (!isList(values, at)) {
            return constraints;
        }
        if (++depth > MAX_DEPTH) {
            add(at, "nested deeper than " + MAX_DEPTH + " levels");
            return constraints;
        }
        for (int i = 0; i < values.size(); i++) {
            constraints.add(read(values.get(i), at + "/" + i));
        }
        depth--;
        return constraints;
    }

    private List<String> properties(JsonNode values, String at) {
        List<String> names = strings(values, at);
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            for (int c = name.startsWith("^") ? 1 : 0; c < name.length(); c++) {
                if (ILLEGAL.indexOf(name.charAt(c)) >= 0) {
                    add(at + "/" + i, "a property's name cannot contain '" + name.charAt(c) + "'");
                    break;
                }
            }
        }
        return names;
    }

    /**
     * Returns the hosts of all hostlists in {@code values} as one list, because the limit on the length applies to the whole
     * list.
     */
    private Hostlist hosts(JsonNode values, String at) {
        List<String> texts = strings(values, at);
        try {
            return Hostlist.parse(texts);
        } catch (MalformedException e) {
            for (int i = 0; i < texts.size(); i++) {
                String fault = texts.get(i).equals(e.input()) ? e.getMessage() : fault(texts.get(i));
                if (fault != null) {
                    add(at + "/" + i, fault);
                }
            }
            return Hostlist.EMPTY;
        }
    }

    private static @Nullable String fault(String hosts) {
        try {
            Hostlist.parse(hosts);
            return null;
        } catch (MalformedException e) {
            return e.getMessage();
        }
    }

    private Idset ranks(JsonNode values, String at) {
        Idset.Builder ranks = Idset.builder();
        List<String> texts = strings(values, at);
        for (int i = 0; i < texts.size(); i++) {
            try {
                ranks.addAll(Idset.parse(texts.get(i)));
            } catch (MalformedException e) {
                add(at + "/" + i, String.valueOf(e.getMessage()));
            }
        }
        return ranks.build();
    }

    private List<String> strings(JsonNode values, String at) {
        List<String> texts = new ArrayList<>();
        if (!isList(values, at)) {
            return texts;
        }
        for (int i = 0; i < values.size(); i++) {
            if (!values.get(i).isTextual()) {
                add(at + "/" + i, "must be a string, not " + RequestTree.kind(values.get(i)));
            }
            texts.add(values.get(i).asText());
        }
        return texts;
    }

    private boolean isList(JsonNode values, String at) {
        if (!values.isArray()) {
            add(at, "must be a list, not " + RequestTree.kind(values));
        }
        return values.isArray();
    }

    private void add(String pointer, String sentence) {
        problems.add(document.place(pointer), sentence);
    }
}
