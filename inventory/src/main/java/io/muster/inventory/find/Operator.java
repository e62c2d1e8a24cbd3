package io.muster.inventory.find;

import java.util.function.Predicate;

/** The operator of a comparison. If two signs begin with the same characters, the longer one comes first. */
enum Operator {
    LESS_OR_EQUAL("<="),
    GREATER_OR_EQUAL(">="),
    NOT_EQUAL("!="),
    EQUAL("="),
    LESS("<"),
    GREATER(">"),
    /** True for every value: the key is written without operator. */
    PRESENT("");

    final String sign;

    Operator(String sign) {
        this.sign = sign;
    }

    boolean isOrder() {
        return this != PRESENT && this != EQUAL && this != NOT_EQUAL;
    }

    /** Returns whether the operator is true for a result of comparing two values, in the form of {@link Comparable}. */
    boolean accepts(int comparison) {
        return switch (this) {
            case PRESENT -> true;
            case LESS_OR_EQUAL -> comparison <= 0;
            case GREATER_OR_EQUAL -> comparison >= 0;
            case NOT_EQUAL -> comparison != 0;
            case EQUAL -> comparison == 0;
            case LESS -> comparison < 0;
            case GREATER -> comparison > 0;
        };
    }

    /** Returns a test of texts: {@code =} and {@code !=} compare text, the other operators compare quantities. */
    Predicate<String> test(Pattern wanted) {
        return switch (this) {
            case PRESENT -> text -> true;
            case EQUAL -> wanted::matches;
            case NOT_EQUAL -> text -> !wanted.matches(text);
            default -> {
                Quantity limit = wanted.quantity();
                yield text -> {
                    Quantity given = Quantity.read(text);
                    return given != null && given.is(this, limit);
                };
            }
        };
    }
}
