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
import io.muster.inventory.graph.Paths;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A recursive-descent parser of the grammar in {@code docs/find.md}. A parser reads one expression. */
final class ExpressionParser {
    private static final String BLANKS = " \t\r\n";
    private static final String ENDS_VALUE = BLANKS + "()\"'";
    private static final String ENDS_WORD = ENDS_VALUE + "=!<>:";
    private static final Set<String> KEYWORDS = Set.of("and", "or", "not", "in", "has");

    /** The highest number of names in all hostlists of an expression. */
    private static final int MAX_NAMES = 65_536;

    private final String text;
    private int at;
    private int depth;
    private int terms;
    private int listed;

    ExpressionParser(String text) {
        this.text = text;
    }

    Node whole() {
        if (text.length() > Expression.MAX_CHARS) {
            throw fault(Expression.MAX_CHARS, "longer than " + Expression.MAX_CHARS + " characters");
        }
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            int c = text.codePointAt(i);
            if (!Text.isText(c) && BLANKS.indexOf(c) < 0) {
                throw fault(i, Text.name(c) + " cannot be in an expression");
            }
        }
        Node node = or();
        if (at < text.length()) {
            throw fault(
                    at, peek() == ')' ? "this parenthesis was never opened" : "expected and, or, in, has or the end");
        }
        return node;
    }

    private Node or() {
        List<Node> parts = separated("or", this::and);
        return parts.size() == 1 ? parts.get(0) : new Or(parts);
    }

    private Node and() {
        List<Node> parts = separated("and", this::not);
        return parts.size() == 1 ? parts.get(0) : new And(parts);
    }

    private List<Node> separated(String word, Supplier<Node> part) {
        List<Node> parts = new ArrayList<>(List.of(part.get()));
        while (takeWord(word)) {
            parts.add(part.get());
        }
        return parts;
    }

    private Node not() {
        return takeWord("not") ? deeper(() -> new Not(not())) : related();
    }

    private Node related() {
        Node node = term("expected a term");
        while (true) {
            boolean below = takeWord("in");
            if (!below && !takeWord("has")) {
                return node;
            }
            skipBlanks();
            int start = at;
            String what = below ? "in" : "has";
            node = new Related(
                    node, below, term("expected what " + what + " refers to: a path, a name or a term"), start);
        }
    }

    private Node deeper(Supplier<Node> inside) {
        if (++depth > Expression.MAX_DEPTH) {
            throw fault(at, "nested deeper than " + Expression.MAX_DEPTH + " levels");
        }
        Node node = inside.get();
        depth--;
        return node;
    }

    private Node term(String expected) {
        skipBlanks();
        int start = at;
        if (peek() == '(') {
            at++;
            Node inside = deeper(this::or);
            if (peek() != ')') {
                throw at < text.length()
                        ? fault(at, "expected and, or, in, has or )")
                        : fault(start, "this parenthesis is not closed");
            }
            at++;
            return inside;
        }
        if (++terms > Expression.MAX_TERMS) {
            throw fault(start, "more than " + Expression.MAX_TERMS + " terms");
        }
        if (peek() == '/') {
            return path(new Pattern(bare(ENDS_VALUE), false, null), start);
        }
        boolean quoted = peek() == '"' || peek() == '\'';
        String word = quoted ? quoted() : bare(ENDS_WORD);
        if (peek() == ':' && !word.isEmpty()) {
            return scope(word, quoted, start);
        }
        if (quoted) {
            int colon = word.indexOf(":/");
            if (colon > 0) {
                return new Scope(
                        word.substring(0, colon), path(Pattern.literal(word.substring(colon + 1)), start), start);
            }
            return word.startsWith("/")
                    ? path(Pattern.literal(word), start)
                    : new Word(Pattern.literal(word), false, start);
        }
        if (word.isEmpty() || KEYWORDS.contains(word)) {
            throw fault(start, expected);
        }
        return afterWord(word, start);
    }

    private Path path(Pattern path, int start) {
        if (path.text().chars().filter(c -> c == '/').count() > Paths.MOST_LEVELS) {
            throw fault(start, "a path may have " + Paths.MOST_LEVELS + " levels");
        }
        return new Path(path, start);
    }

    /** Reads the part to which a prefix such as {@code power:} or {@code from:power} applies. */
    private Node scope(String prefix, boolean quoted, int start) {
        at++;
        String subsystem = prefix;
        if (prefix.equals("from") && !quoted) {
            skipBlanks();
            subsystem = peek() == '"' || peek() == '\'' ? quoted() : bare(ENDS_WORD);
            if (subsystem.isEmpty()) {
                throw fault(at, "expected the name of a subsystem");
            }
        }
        String named = subsystem;
        return deeper(() -> new Scope(named, term("expected what to look for in subsystem " + named), start));
    }

    private Node afterWord(String word, int start) {
        int end = at;
        skipBlanks();
        @Nullable Operator operator = operator();
        if (operator == null) {
            at = end;
            @Nullable SearchKey key = word.indexOf('.') < 0 ? null : SearchKey.of(word);
            return key != null
                    ? new Comparison(key, Operator.PRESENT, Pattern.literal(""), end)
                    : new Word(names(word, start), false, start);
        }
        @Nullable SearchKey key = SearchKey.of(word);
        if (key != null) {
            return comparison(key, operator, end);
        }
        int dot = word.indexOf('.');
        key = dot > 0 ? SearchKey.of(word.substring(dot + 1)) : null;
        if (key == null) {
            throw fault(start, "there is no key " + word + "; there are " + SearchKey.Kind.all());
        }
        Word type = new Word(new Pattern(word.substring(0, dot), false, null), true, start);
        return new And(List.of(type, comparison(key, operator, end)));
    }

    private @Nullable Operator operator() {
        for (Operator operator : Operator.values()) {
            if (operator != Operator.PRESENT && text.startsWith(operator.sign, at)) {
                at += operator.sign.length();
                return operator;
            }
        }
        if (peek() == '!') {
            throw fault(at, "expected !=; to negate a term, write not before it");
        }
        return null;
    }

    private Node comparison(SearchKey key, Operator operator, int keyEnd) {
        skipBlanks();
        int start = at;
        boolean quoted = peek() == '"' || peek() == '\'';
        String value = quoted ? quoted() : bare(ENDS_VALUE);
        if (value.isEmpty() && !quoted) {
            throw fault(start, "expected a value; \"\" is the empty text");
        }
        if (value.startsWith("=") && !quoted) {
            throw fault(start, "equality is written with one =");
        }
        SearchKey.Kind kind = key.kind();
        if (kind.isNamed() && key.name().isEmpty()) {
            return present(kind, operator, value, keyEnd);
        }
        if (operator.isOrder() && !kind.isNumber() && !kind.isNamed()) {
            throw fault(keyEnd, kind.word() + " can only be compared with = and !=");
        }
        checkNumber(kind, operator, value, start);
        Pattern pattern =
                kind == SearchKey.Kind.NAME && !quoted ? names(value, start) : new Pattern(value, quoted, null);
        if (kind == SearchKey.Kind.PATH) {
            Path path = path(pattern, start);
            return operator == Operator.EQUAL ? path : new Not(path);
        }
        return new Comparison(key, operator, pattern, start);
    }

    /** Returns the term for {@code property=K}, which means {@code property.K}. */
    private Node present(SearchKey.Kind kind, Operator operator, String name, int keyEnd) {
        if (operator.isOrder()) {
            throw fault(
                    keyEnd,
                    kind.word() + " can only be compared with = and !=; to compare a value, write " + kind.word()
                            + ".K");
        }
        Node present = new Comparison(new SearchKey(kind, name), Operator.PRESENT, Pattern.literal(""), keyEnd);
        return operator == Operator.EQUAL ? present : new Not(present);
    }

    private void checkNumber(SearchKey.Kind kind, Operator operator, String value, int start) {
        if (kind == SearchKey.Kind.SIZE || (operator.isOrder() && kind.isNamed())) {
            if (Quantity.read(value) == null) {
                throw fault(start, "expected a number, with or without a unit");
            }
        } else if (kind == SearchKey.Kind.ID || kind == SearchKey.Kind.RANK) {
            Idset ids = read(start, () -> Idset.parse(value));
            if (ids.isEmpty() || (operator.isOrder() && ids.size() > 1)) {
                throw fault(start, operator.isOrder() ? "expected one number" : "expected numbers, such as 0-7,9");
            }
        }
    }

    /** Returns names as they are written: one name, a glob, or a hostlist. */
    private Pattern names(String word, int start) {
        boolean list = word.indexOf('*') < 0 && (word.indexOf('[') >= 0 || word.indexOf(',') >= 0);
        if (!list) {
            return new Pattern(word, false, null);
        }
        Hostlist names = read(start, () -> Hostlist.parse(word));
        if (names.size() > MAX_NAMES - listed) {
            throw fault(
                    start,
                    listed + names.size() + " names; the lists of an expression may have " + MAX_NAMES + " in all");
        }
        listed += names.size();
        return new Pattern(word, false, new HashSet<>(names.expand()));
    }

    private <T> T read(int start, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (MalformedException e) {
            throw fault(start + e.position(), e.reason());
        }
    }

    private String quoted() {
        char quote = peek();
        int end = text.indexOf(quote, at + 1);
        if (end < 0) {
            throw fault(at, "this quote is not closed");
        }
        String inside = text.substring(at + 1, end);
        at = end + 1;
        return inside;
    }

    private String bare(String ends) {
        int start = at;
        while (at < text.length() && ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(start, at);
    }

    private boolean takeWord(String word) {
        skipBlanks();
        int end = at + word.length();
        boolean found =
                text.startsWith(word, at) && (end == text.length() || ENDS_VALUE.indexOf(text.charAt(end)) >= 0);
        at += found ? word.length() : 0;
        return found;
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
        return Expression.fault(text, position, reason);
    }
}
