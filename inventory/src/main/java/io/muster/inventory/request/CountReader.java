package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads one count from text or JSON (see {@link Count}). A reader is used once. */
final class CountReader {
    private static final Set<String> KEYS = Set.of("min", "max", "operator", "operand");

    private final String text;
    private final int end;
    private int at;

    CountReader(CharSequence text) {
        this.text = text.toString();
        boolean opened = this.text.startsWith("[");
        boolean closed = this.text.endsWith("]");
        if (opened != closed || (opened && this.text.length() == 1)) {
            throw malformed(opened ? this.text.length() : this.text.length() - 1, "brackets do not pair");
        }
        this.at = opened ? 1 : 0;
        this.end = closed ? this.text.length() - 1 : this.text.length();
    }

    Count read() {
        return text.indexOf(',') >= 0 ? idset() : range();
    }

    private Count idset() {
        Idset ids;
        try {
            ids = Idset.parse(text.substring(at, end));
        } catch (MalformedException e) {
            throw malformed(at + e.position(), e.reason());
        }
        if (ids.isEmpty() || ids.first() == 0) {
            throw malformed(at, "a count must be at least 1");
        }
        return Count.of(ids);
    }

    private Count range() {
        int start = at;
        long min = number("a count");
        if (at == end) {
            return Count.of(min);
        }
        long max = maximum(min);
        long operand = 1;
        Count.Operator operator = Count.Operator.ADD;
        int operandAt = at + 1;
        if (at < end) {
            expect(':', "':' and an operand");
            operand = number("an operand");
            if (at < end) {
                operator = operator();
            }
        }
        @Nullable String fault = Count.fault(min, max, operator, operand);
        if (fault != null) {
            throw malformed(fault.startsWith("operand") ? operandAt : start, fault);
        }
        return Count.range(min, max, operator, operand);
    }

    private long maximum(long min) {
        if (text.charAt(at) == '+') {
            at++;
            return -1;
        }
        expect('-', "'-', '+' or the end");
        int start = at;
        long max = number("a maximum");
        if (max < min) {
            throw malformed(start, "max " + max + " is less than min " + min);
        }
        return max;
    }

    private Count.Operator operator() {
        expect(':', "':' and an operator");
        Count.@Nullable Operator operator = Count.Operator.of(text.substring(at, end));
        if (operator == null) {
            throw malformed(at, "expected one operator, '+', '*' or '^'");
        }
        return operator;
    }

    private long number(String noun) {
        int start = at;
        long value = 0;
        while (at < end && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            value = value * 10 + (text.charAt(at++) - '0');
            if (value > Count.MAX) {
                throw malformed(start, noun + " must be at most " + Count.MAX);
            }
        }
        if (at == start) {
            throw malformed(start, "expected " + noun + ", a positive integer");
        }
        if (text.charAt(start) == '0') {
            throw malformed(start, at == start + 1 ? noun + " must be at least 1" : "leading zero");
        }
        return value;
    }

    private void expect(char c, String noun) {
        if (at >= end || text.charAt(at) != c) {
            throw malformed(at, "expected " + noun);
        }
        at++;
    }

    private MalformedException malformed(int position, String reason) {
        return new MalformedException("count", text, position, reason);
    }

    static @Nullable Count read(JsonNode node, String place, Problems problems) {
        try {
            if (node.isTextual()) {
                return Count.parse(node.textValue());
            }
            if (node.isObject()) {
                return dictionary(node, place, problems);
            }
            return Count.of(integer(node, "count"));
        } catch (IllegalArgumentException e) {
            problems.add(place, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static @Nullable Count dictionary(JsonNode node, String place, Problems problems) {
        Set<String> unknown = new TreeSet<>();
        node.fieldNames().forEachRemaining(unknown::add);
        unknown.removeAll(KEYS);
        for (String key : unknown) {
            problems.add(place + "/" + key, "a count has no such key; known are min, max, operator, operand");
        }
        if (!node.has("min")) {
            problems.add(place, "a count dictionary must have min");
        }
        if (node.has("operator") != node.has("operand")) {
            problems.add(place, "operator and operand must both be given, or neither");
        }
        if (!unknown.isEmpty() || !node.has("min") || node.has("operator") != node.has("operand")) {
            return null;
        }
        return Count.range(
                integer(node.get("min"), "min"),
                node.has("max") ? positive(node.get("max"), "max") : -1,
                node.has("operator") ? operator(node.get("operator")) : Count.Operator.ADD,
                node.has("operand") ? integer(node.get("operand"), "operand") : 1);
    }

    private static Count.Operator operator(JsonNode node) {
        Count.@Nullable Operator operator = Count.Operator.of(node.asText(""));
        if (!node.isTextual() || operator == null) {
            throw new IllegalArgumentException("operator must be \"+\", \"*\" or \"^\", not " + node);
        }
        return operator;
    }

    private static long positive(JsonNode node, String noun) {
        long n = integer(node, noun);
        if (n < 1) {
            throw new IllegalArgumentException(noun + " must be at least 1, not " + n);
        }
        return n;
    }

    private static long integer(JsonNode node, String noun) {
        if (!node.isIntegralNumber()) {
            throw new IllegalArgumentException(noun + " must be an integer, not " + node);
        }
        if (!node.canConvertToLong() || node.longValue() > Count.MAX) {
            boolean negative = node.bigIntegerValue().signum() < 0;
            throw new IllegalArgumentException(
                    noun + " " + node + (negative ? " is below 1" : " is above " + Count.MAX));
        }
        return node.longValue();
    }
}
