package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class QueryTest {
    /** Hosts with every combination of four properties: host n5 has those of binary 0101, a and c. */
    private static final ResourceSet R = ResourceSet.of(
            Hostlist.parse("n[0-15]"),
            Idset.range(0, 15),
            Idset.of(0),
            Idset.EMPTY,
            Map.of("a", bit(0), "b", bit(1), "c", bit(2), "d", bit(3)));

    private static Idset bit(int bit) {
        Idset.Builder ids = Idset.builder();
        for (int id = 0; id < 16; id++) {
            if ((id >> bit & 1) == 1) {
                ids.add(id);
            }
        }
        return ids.build();
    }

    /** The examples of RFC 35, with properties in place of its default operator {@code name}. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "foo     ~ {'properties':['foo']}",
                "foo bar ~ {'and':[{'properties':['foo']},{'properties':['bar']}]}",
                "foo bar host:n1 ~ {'and':[{'properties':['foo']},{'properties':['bar']},{'hostlist':['n1']}]}",
                "a|b|c   ~ {'or':[{'properties':['a']},{'properties':['b']},{'properties':['c']}]}",
                "a|b&c   ~ {'or':[{'properties':['a']},{'and':[{'properties':['b']},{'properties':['c']}]}]}",
                "(a|b)&c ~ {'and':[{'or':[{'properties':['a']},{'properties':['b']}]},{'properties':['c']}]}",
                "(a|-b)&c ~ {'and':[{'or':[{'properties':['a']},{'not':[{'properties':['b']}]}]},{'properties':['c']}]}",
                "rank:0-3,7 ~ {'ranks':['0-3,7']}",
                "a,^b    ~ {'properties':['a','^b']}",
                "a|b c   ~ {'and':[{'or':[{'properties':['a']},{'properties':['b']}]},{'properties':['c']}]}",
                "a|b -c  ~ {'or':[{'properties':['a']},{'and':[{'properties':['b']},{'not':[{'properties':['c']}]}]}]}",
                "not a -b ~ {'not':[{'and':[{'properties':['a']},{'not':[{'properties':['b']}]}]}]}",
                "x:y     ~ unknown operator",
            })
    void queriesBecomeConstraints(String query, String constraint) {
        if (constraint.startsWith("{")) {
            assertThat(Query.parse(query).toJson().toString().replace('"', '\''))
                    .isEqualTo(constraint);
        } else {
            assertThatThrownBy(() -> Query.parse(query)).hasMessageContaining(constraint);
        }
    }

    /** Returns the constraint that flux-core 0.88 makes of each query, or ERR. */
    static Stream<Arguments> deployed() throws IOException {
        try (InputStream in = Objects.requireNonNull(QueryTest.class.getResourceAsStream("/rfc35/deployed.tsv"))) {
            List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(lines).hasSizeGreaterThan(200);
            return lines.stream().map(line -> Arguments.of((Object[]) line.split("\t")));
        }
    }

    @ParameterizedTest
    @MethodSource("deployed")
    void queriesMatchTheSameHostsAsInFluxCore(String query, String constraint) {
        if (constraint.equals("ERR")) {
            assertThatThrownBy(() -> Query.parse(query)).isInstanceOf(MalformedException.class);
        } else {
            assertThat(Query.parse(query).matches(R))
                    .isEqualTo(Constraint.parse(constraint).matches(R));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "a &~3~expected a term",
                "(a~0~this parenthesis is not closed",
                "(a|(b c)~0~this parenthesis is not closed",
                "a)~1~this parenthesis was never opened",
                "()~1~expected a term",
                "-(a|b)~1~expected a term after -; write not (...) before an expression",
                "--a~1~expected a term after -; write not (...) before an expression",
                "a or and~5~expected a term",
                "a 'b c~2~this quote is not closed",
                "host:~5~expected a value after host:",
                "a size:3~2~unknown operator \"size\"; known are properties, hostlist (host), ranks (rank)",
                "Host:n1~0~unknown operator \"Host\"; known are properties, hostlist (host), ranks (rank)",
                "a rank:0-x~9~idset: ",
                "a host:'n[0-'~12~hostlist: ",
                "a,,b~2~a property name is empty",
                "a b!~2~property name \"b!\" has the illegal character !",
                "a ^~2~a property name is empty",
            })
    void malformedQueriesAreRefusedWithTheirPosition(String query, int position, String reason) {
        MalformedException e = catchThrowableOfType(MalformedException.class, () -> Query.parse(query));
        assertThat(e.reason()).startsWith(reason);
        assertThat(e.position()).isEqualTo(position);
        assertThat(Shape.caret(e)).isEqualTo("  " + query + "\n  " + " ".repeat(position) + "^");
    }

    @Test
    void aQuotedOperandMayContainOperatorsAndColons() {
        assertThat(Query.parse("'not' \"x:y z\"").toJson().toString().replace('"', '\''))
                .isEqualTo("{'and':[{'properties':['not']},{'properties':['x:y z']}]}");
    }

    @Test
    void aLongQueryIsNotNested() {
        assertThat(Query.parse("a ".repeat(30_000)).matches(R)).isEqualTo(bit(0));
        assertThat(Query.parse("a|b|".repeat(15_000) + "c").matches(R))
                .isEqualTo(bit(0).union(bit(1)).union(bit(2)));
    }

    @Test
    void depthAndLengthAreBounded() {
        for (String deep : List.of("(".repeat(101), "not ".repeat(101), "a|b c|".repeat(101), "(a|".repeat(51))) {
            assertThatThrownBy(() -> Query.parse(deep + "a")).hasMessageContaining("nested deeper than 100 levels");
        }
        assertThatThrownBy(() -> Query.parse(" ".repeat(65_537))).hasMessageContaining("longer than 65536 characters");
    }
}
