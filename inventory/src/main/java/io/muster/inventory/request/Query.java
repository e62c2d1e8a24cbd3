package io.muster.inventory.request;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A constraint as people type it (RFC 35): {@code batch and (ssd|huge) -host:node[0-3]}.
 *
 * <p>The operators are those of RFC 31: properties (the default for a term without operator), hostlist (host, hosts) and ranks
 * (rank). RFC 35 does not define the precedence of a space; flux does, and a query must mean the same to both programs: a term
 * is joined to everything on its left, so {@code a|b c} is {@code (a|b)&c}, but a negation is joined to the term right before
 * it, so {@code a|b -c} is {@code a|(b&-c)} and {@code not a -b} is {@code not(a&-b)}. This parser is stricter than flux, which
 * accepts unknown operators and illegal names. Quoted text is an operand, even if it contains colons.
 */
public final class Query {
    /** The highest number of characters in a query. */
    public static final int MAX_CHARS = 65_536;

    private static final int MAX_DEPTH = 100;
    private static final String BLANKS = " \t\r\n\f";
    private static final String ENDS_WORD = BLANKS + "()|&\"'";

    private final String text;
    private int at;
    private int depth;

    private Query(String text) {
        this.text = text;
    }

    /**
     * Reads a query.
     *
     * @throws MalformedException with the subject "constraint query" and what the parser expected; {@link Shape#caret} shows
     *     the position
     */
    public static Constraint parse(CharSequence text) {
        return new Query(text.toString()).whole();
    }

    private Constraint whole() {
        if (text.length() > MAX_CHARS) {
            throw fault(MAX_CHARS, "longer than " + MAX_CHARS + " characters");
        }
        Constraint constraint = expression();
        if (at < text.length()) {
            throw fault(at, "this parenthesis was never opened");
        }
        return constraint;
    }

    private Constraint expression() {
        int before = depth;
        List<Constraint> all = new ArrayList<>(List.of(unary()));
        while (true) {
            if (take("&", "and")) {
                all.add(unary());
            } else if (take("|", "or")) {
                deeper();
                all = new ArrayList<>(List.of(alternatives(all(all))));
            } else if (at < text.length() && text.charAt(at) != ')') {
                all.add(unary());
            } else {
                depth = before;
                return all(all);
            }
        }
    }

    private Constraint alternatives(Constraint first) {
        List<Constraint> values = new ArrayList<>(List.of(first));
        do {
            List<Constraint> all = new ArrayList<>(List.of(unary()));
            while (take("&", "and")) {
                all.add(unary());
            }
            values.add(all(all));
        } while (take("|", "or"));
        return Constraint.or(values);
    }

    private static Constraint all(List<Constraint> values) {
        return values.size() == 1 ? values.get(0) : Constraint.and(values);
    }

    private void deeper() {
        if (++depth > MAX_DEPTH) {
            throw fault(at, "nested deeper than " + MAX_DEPTH + " levels");
        }
    }

    /** Reads a term or negation, and the negations right after it, which bind tighter than any other operator. */
    private Constraint unary() {
        deeper();
        List<Constraint> all = new ArrayList<>();
        do {
            all.add(single());
            skipBlanks();
        } while (peek() == '-' || startsWord("not"));
        depth--;
        return all(all);
    }

    private Constraint single() {
        skipBlanks();
        if (takeWord("not")) {
            return Constraint.not(List.of(unary()));
        }
        if (peek() == '-') {
            at++;
            skipBlanks();
            return Constraint.not(List.of(term("expected a term after -; write not (...) before an expression")));
        }
        return peek() == '(' ? group() : term("expected a term");
    }

    private Constraint group() {
        int opened = at;
        at++;
        Constraint inside = expression();
        if (peek() != ')') {
            throw fault(opened, "this parenthesis is not closed");
        }
        at++;
        return inside;
    }

    private Constraint term(String expected) {
        if (startsWord("and") || startsWord("or") || startsWord("not") || peek() == '-') {
            throw fault(at, expected);
        }
        int start = at;
        @Nullable Operand quoted = quoted();
        if (quoted != null) {
            return properties(quoted);
        }
        String word = bare(ENDS_WORD + ":").text();
        if (peek() == ':') {
            at++;
            skipBlanks();
            return operation(word, start);
        }
        if (word.isEmpty()) {
            throw fault(start, expected);
        }
        return properties(new Operand(start, word));
    }

    private Constraint operation(String operator, int start) {
        int end = at;
        @Nullable Operand quoted = quoted();
        Operand operand = quoted == null ? bare(ENDS_WORD) : quoted;
        if (operand.text().isEmpty()) {
            throw fault(end, "expected a value after " + operator + ":");
        }
        return switch (operator) {
            case "properties" -> properties(operand);
            case "host", "hosts", "hostlist" -> new Constraint.Hosts(read(operand, Hostlist::parse));
            case "rank", "ranks" -> new Constraint.Ranks(read(operand, Idset::parse));
            default ->
                throw fault(
                        start,
                        "unknown operator \"" + operator + "\"; known are properties, hostlist (host), ranks (rank)");
        };
    }

    private <T> T read(Operand operand, Function<String, T> reader) {
        try {
            return reader.apply(operand.text());
        } catch (MalformedException e) {
            throw fault(operand.start() + e.position(), e.what() + ": " + e.reason());
        }
    }

    private Constraint properties(Operand operand) {
        List<String> names = new ArrayList<>();
        int start = operand.start();
        for (String name : operand.text().split(",", -1)) {
            @Nullable String objection = ResourceSet.propertyNameFault(name.startsWith("^") ? name.substring(1) : name);
            if (objection != null) {
                throw fault(start, objection);
            }
            names.add(name);
            start += name.length() + 1;
        }
        return new Constraint.Properties(names);
    }

    /** An operand: its text and the position in the query at which it starts. */
    private record Operand(int start, String text) {}

    private @Nullable Operand quoted() {
        char quote = peek();
        if (quote != '"' && quote != '\'') {
            return null;
        }
        int end = text.indexOf(quote, at + 1);
        if (end < 0) {
            throw fault(at, "this quote is not closed");
        }
        Operand operand = new Operand(at + 1, text.substring(at + 1, end));
        at = end + 1;
        return operand;
    }

    private Operand bare(String ends) {
        int start = at;
        while (at < text.length() && ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return new Operand(start, text.substring(start, at));
    }

    /** Skips an operator if it comes next: its sign, written once or twice, or its word. */
    private boolean take(String sign, String word) {
        if (takeWord(word)) {
            return true;
        }
        if (!text.startsWith(sign, at)) {
            return false;
        }
        at += text.startsWith(sign + sign, at) ? 2 : 1;
        return true;
    }

    private boolean takeWord(String word) {
        boolean found = startsWord(word);
        at += found ? word.length() : 0;
        return found;
    }

    private boolean startsWord(String word) {
        int end = at + word.length();
        return text.startsWith(word, at)
                && (end == text.length() || !(Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_'));
    }

    private void skipBlanks() {
        while (at < text.length() && BLANKS.indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private MalformedException fault(int position, String reason) {
        return new MalformedException("constraint query", text, position, reason);
    }
}
