package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The acceptable counts of a requested resource (RFC 14 {@code count}, RFC 45): one integer, an idset, or a range with an
 * operator. A count is never empty, never contains zero, and has no member above {@link #MAX}, so that the sum of two members does
 * not overflow a long.
 *
 * <p>Two counts are equal if their normal forms are equal: a range ends at its last reachable value, and a count with one
 * member is that integer.
 */
public final class Count {
    public static final long MAX = 1L << 60;
    public static final Count ONE = of(1);

    /** How a range steps from one acceptable value to the next (RFC 14 {@code operator}). */
    public enum Operator {
        ADD('+', 1),
        MULTIPLY('*', 2),
        POWER('^', 2);

        private final char symbol;
        private final int leastOperand;

        Operator(char symbol, int leastOperand) {
            this.symbol = symbol;
            this.leastOperand = leastOperand;
        }

        static @Nullable Operator of(String text) {
            for (Operator o : values()) {
                if (text.length() == 1 && text.charAt(0) == o.symbol) {
                    return o;
                }
            }
            return null;
        }

        /** Returns the value after {@code value}, or a number above {@link Count#MAX}. */
        private long step(long value, long operand) {
            return switch (this) {
                case ADD -> value + operand;
                case MULTIPLY -> product(value, operand);
                case POWER -> power(value, operand);
            };
        }

        private static long product(long a, long b) {
            return a > MAX / b ? MAX + 1 : a * b;
        }

        private static long power(long base, long exponent) {
            long result = 1;
            for (long i = 0; i < exponent && result <= MAX; i++) {
                result = product(result, base);
            }
            return result;
        }
    }

    /** The acceptable counts, if they are neither one integer nor one range; otherwise null. */
    private final @Nullable Idset ids;

    private final long min;
    private final long max;
    private final boolean open;
    private final Operator operator;
    private final long operand;

    private Count(@Nullable Idset ids, long min, long max, Operator operator, long operand) {
        this.ids = ids;
        this.min = min;
        this.max = max;
        this.open = max < 0;
        this.operator = operator;
        this.operand = operand;
    }

    public static Count of(long n) {
        if (n < 1) {
            throw new IllegalArgumentException("a count must be at least 1, not " + n);
        }
        return new Count(null, n, n, Operator.ADD, 1);
    }

    /**
     * Returns the count that accepts the values of a range.
     *
     * @param max the largest acceptable value, or -1 for none
     * @throws IllegalArgumentException with a sentence, if RFC 14 does not allow this range
     */
    public static Count range(long min, long max, Operator operator, long operand) {
        @Nullable String fault = fault(min, max, operator, operand);
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
        if (max < 0) {
            return new Count(null, min, -1, operator, operand);
        }
        long last = last(min, max, operator, operand);
        return last == min ? of(min) : new Count(null, min, last, operator, operand);
    }

    static @Nullable String fault(long min, long max, Operator operator, long operand) {
        if (min < 1) {
            return "min must be at least 1, not " + min;
        }
        if (max >= 0 && max < min) {
            return "max " + max + " is less than min " + min;
        }
        if (operand < operator.leastOperand) {
            return "operand must be at least " + operator.leastOperand + " with '" + operator.symbol + "', not "
                    + operand;
        }
        return operator == Operator.POWER && min < 2 ? "min must be at least 2 with '^', not " + min : null;
    }

    private static long last(long min, long max, Operator operator, long operand) {
        if (operator == Operator.ADD) {
            return max - (max - min) % operand;
        }
        long value = min;
        for (long next = operator.step(value, operand); next <= max; next = operator.step(value, operand)) {
            value = next;
        }
        return value;
    }

    /**
     * Returns the count that accepts every id in {@code ids}.
     *
     * @throws IllegalArgumentException if {@code ids} is empty or contains 0
     */
    public static Count of(Idset ids) {
        if (ids.isEmpty() || ids.first() == 0) {
            throw new IllegalArgumentException(ids.isEmpty() ? "no count is acceptable" : "a count cannot be 0");
        }
        return ids.rangeCount() == 1
                ? range(ids.first(), ids.last(), Operator.ADD, 1)
                : new Count(ids, ids.first(), ids.last(), Operator.ADD, 1);
    }

    /**
     * Reads an integer, an idset or an RFC 45 range, each with or without brackets.
     *
     * @throws MalformedException with the subject "count"
     */
    public static Count parse(CharSequence text) {
        return new CountReader(text).read();
    }

    /**
     * Reads an integer, a dictionary or an idset string, the three forms of RFC 14. If the node is not a count, adds the
     * reason to {@code problems} and returns null.
     */
    static @Nullable Count parse(JsonNode node, String place, Problems problems) {
        return CountReader.read(node, place, problems);
    }

    public long min() {
        return min;
    }

    /** Returns the largest acceptable count, or {@link #MAX} if there is none. */
    public long max() {
        return open ? MAX : max;
    }

    /** Returns whether there is no largest acceptable count ({@code 2+}). */
    public boolean isOpen() {
        return open;
    }

    public boolean isFixed() {
        return min == max;
    }

    /** Returns the smallest acceptable count above {@code after}, or -1 if there is none. */
    public long next(long after) {
        if (after < min) {
            return min;
        }
        if (after >= max()) {
            return -1;
        }
        return ids != null ? ids.next((int) after) : nextInRange(after);
    }

    private long nextInRange(long after) {
        long value = operator == Operator.ADD ? after - (after - min) % operand : min;
        while (value <= after) {
            value = operator.step(value, operand);
        }
        return value > max() ? -1 : value;
    }

    /** Returns the form that RFC 46's examples use: an integer, a dictionary of min and max, or an idset string. */
    public JsonNode toJson() {
        if (isFixed()) {
            return number(min);
        }
        if (ids != null) {
            return TextNode.valueOf(ids.toString());
        }
        ObjectNode range = JsonNodeFactory.instance.objectNode();
        range.set("min", number(min));
        if (!open) {
            range.set("max", number(max));
        }
        if (!open || operator != Operator.ADD || operand != 1) {
            range.put("operator", String.valueOf(operator.symbol)).set("operand", number(operand));
        }
        return range;
    }

    /** Returns a node as a parser makes it: an int if the number fits. */
    private static JsonNode number(long n) {
        return n <= Integer.MAX_VALUE ? IntNode.valueOf((int) n) : LongNode.valueOf(n);
    }

    /** Returns the shortest text that {@link #parse(CharSequence)} reads back as this count. */
    @Override
    public String toString() {
        if (isFixed()) {
            return Long.toString(min);
        }
        if (ids != null) {
            return ids.toString();
        }
        String ends = open ? min + "+" : min + "-" + max;
        if (operator == Operator.ADD) {
            return operand == 1 ? ends : ends + ":" + operand;
        }
        return ends + ":" + operand + ":" + operator.symbol;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Count c
                && min == c.min
                && max == c.max
                && operator == c.operator
                && operand == c.operand
                && Objects.equals(ids, c.ids);
    }

    @Override
    public int hashCode() {
        return Objects.hash(ids, min, max, operator, operand);
    }
}
