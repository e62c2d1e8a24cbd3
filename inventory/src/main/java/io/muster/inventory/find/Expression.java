package io.muster.inventory.find;

import io.muster.inventory.problem.MalformedException;
import java.util.List;

/**
 * An expression that vertices satisfy or not, such as {@code gpu in rack1 and tag.firmware=7.1}. {@code docs/find.md} has the
 * grammar.
 */
public final class Expression {
    private static final String WHAT = "expression";

    /** The highest number of characters in an expression. */
    public static final int MAX_CHARS = 65_536;

    static final int MAX_DEPTH = 100;

    private static final int MAX_REASON = 300;

    /** The highest number of terms. A term costs at most one look at every vertex. */
    static final int MAX_TERMS = 256;

    private final String text;
    private final Node root;

    private Expression(String text, Node root) {
        this.text = text;
        this.root = root;
    }

    /**
     * Reads an expression.
     *
     * @throws MalformedException with the subject "expression" and what the parser expected
     */
    public static Expression parse(CharSequence text) {
        String whole = text.toString();
        return new Expression(whole, new ExpressionParser(whole).whole());
    }

    Node root() {
        return root;
    }

    MalformedException fault(int position, String reason) {
        return fault(text, position, reason);
    }

    /** Returns an exception whose reason is cut, because it may quote a part of the expression. */
    static MalformedException fault(String text, int position, String reason) {
        String shown = reason.length() <= MAX_REASON ? reason : reason.substring(0, MAX_REASON) + "...";
        return new MalformedException(WHAT, text, position, shown);
    }

    @Override
    public String toString() {
        return text;
    }

    sealed interface Node {}

    record Or(List<Node> parts) implements Node {}

    record And(List<Node> parts) implements Node {}

    record Not(Node inside) implements Node {}

    /**
     * Vertices that are below an operand ({@code in}) or above it ({@code has}).
     *
     * @param at position of the operand
     */
    record Related(Node of, boolean below, Node operand, int at) implements Node {}

    /** A part in which {@code in} and {@code has} go along the edges of one subsystem. */
    record Scope(String subsystem, Node inside, int at) implements Node {}

    /** A type or, if no vertex has the type, a name. */
    record Word(Pattern pattern, boolean typeOnly, int at) implements Node {}

    record Path(Pattern path, int at) implements Node {}

    /** @param at position of the value */
    record Comparison(SearchKey key, Operator operator, Pattern value, int at) implements Node {}
}
