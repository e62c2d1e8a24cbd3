package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConstraintTest {
    private static final ResourceSet R = ResourceSet.of(
            Hostlist.parse("foo[0-9]"),
            Idset.range(0, 9),
            Idset.range(0, 3),
            Idset.EMPTY,
            Map.of("ssd", Idset.parse("0-4"), "huge", Idset.parse("3-6"), "a@b", Idset.of(7)));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{} | 0-9",
                "{\"or\":[]} | 0-9",
                "{\"and\":[]} | 0-9",
                "{\"properties\":[]} | 0-9",
                "{\"and\":[{}]} | 0-9",
                "{\"not\":[]} | ~~",
                "{\"hostlist\":[]} | ~~",
                "{\"hostlist\":[\"\"]} | ~~",
                "{\"ranks\":[]} | ~~",
                "{\"ranks\":[\"\"]} | ~~",
                "{\"properties\":[\"ssd\"]} | 0-4",
                "{\"properties\":[\"^ssd\"]} | 5-9",
                "{\"properties\":[\"ssd\",\"huge\"]} | 3-4",
                "{\"properties\":[\"ssd\",\"^huge\"]} | 0-2",
                "{\"properties\":[\"none\"]} | ~~",
                "{\"properties\":[\"foo1\"]} | ~~",
                "{\"properties\":[\"^^xx\"]} | 0-9",
                "{\"properties\":[\"^\"]} | 0-9",
                "{\"properties\":[\"a\"]} | ~~",
                "{\"properties\":[\"a@b\"]} | 7",
                "{\"not\":[{\"properties\":[\"ssd\"]},{\"properties\":[\"huge\"]}]} | 0-2,5-9",
                "{\"not\":[{\"properties\":[\"ssd\",\"huge\"]}]} | 0-2,5-9",
                "{\"or\":[{\"properties\":[\"ssd\"]},{\"properties\":[\"huge\"]}]} | 0-6",
                "{\"hostlist\":[\"foo[0-1]\",\"foo5,bar\"]} | 0-1,5",
                "{\"not\":[{\"hostlist\":[\"foo[0-1]\"]}]} | 2-9",
                "{\"and\":[{\"hostlist\":[\"foo[0-1,7]\"]},{\"properties\":[\"ssd\"]}]} | 0-1",
                "{\"ranks\":[\"0\"]} | 0",
                "{\"ranks\":[\"0-2\",\"1-3\",\"99\"]} | 0-3",
            })
    void matchesTheRanksThatTheRfcDefines(String json, String ranks) {
        Constraint constraint = Constraint.parse(json);
        assertThat(constraint.matches(R)).hasToString(ranks == null ? "" : ranks);
        assertThat(Constraint.parse(constraint.toJson()).matches(R)).isEqualTo(constraint.matches(R));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[] | a constraint must be a dictionary, not a list",
                "{\"prop\":[]} | /prop: unknown operator; known are and, or, not, properties, hostlist, ranks",
                "{\"AND\":[]} | /AND: unknown operator",
                "{\"and\":[],\"or\":[]} | a constraint has one operator, not 2; join them with \"and\"",
                "{\"and\":{}} | /and: must be a list, not a dictionary",
                "{\"not\":[1]} | /not/0: a constraint must be a dictionary, not 1",
                "{\"properties\":[1]} | /properties/0: must be a string, not 1",
                "{\"properties\":[\"a b&c\"]} | /properties/0: a property's name cannot contain '&'",
                "{\"ranks\":[1]} | /ranks/0: must be a string, not 1",
                "{\"ranks\":[\"3-1\"]} | /ranks/0: idset \"3-1\"",
                "{\"hostlist\":[\"a[1\"]} | /hostlist/0: hostlist \"a[1\"",
            })
    void refusesWithPointerAndSentence(String json, String sentence) {
        assertThatThrownBy(() -> Constraint.parse(json))
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void nestingIsBounded() {
        assertThatThrownBy(() -> Constraint.parse("{\"not\":[".repeat(105) + "{}" + "]}".repeat(105)))
                .hasMessageContaining("nested deeper");
    }

    @Test
    void namesItsProperties() {
        assertThat(Constraint.parse("{\"and\":[{\"properties\":[\"^ssd\"]},{\"not\":[{\"properties\":[\"huge\"]}]}]}")
                        .properties())
                .containsExactly("huge", "ssd");
    }

    @Seeds
    void matchesTheRanksThatSatisfyThePredicate(Random random) {
        List<IntPredicate> truth = new ArrayList<>();
        Constraint constraint = random(random, 0, truth);
        IntPredicate expected = truth.get(truth.size() - 1);
        R.ranks()
                .forEach(rank -> assertThat(constraint.matches(R).contains(rank))
                        .as("rank %d of %s", rank, constraint)
                        .isEqualTo(expected.test(rank)));
    }

    /** Returns a random constraint and appends its meaning to {@code truth}. */
    private static Constraint random(Random random, int depth, List<IntPredicate> truth) {
        int kind = random.nextInt(depth > 3 ? 2 : 5);
        if (kind == 0) {
            Idset ranks = Idset.range(random.nextInt(6), 6 + random.nextInt(6));
            truth.add(ranks::contains);
            return new Constraint.Ranks(ranks);
        }
        if (kind == 1) {
            String name = List.of("ssd", "huge", "none").get(random.nextInt(3));
            Idset having = R.properties().getOrDefault(name, Idset.EMPTY);
            boolean negated = random.nextBoolean();
            truth.add(rank -> having.contains(rank) != negated);
            return new Constraint.Properties(List.of((negated ? "^" : "") + name));
        }
        List<Constraint> values = new ArrayList<>();
        List<IntPredicate> parts = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.add(random(random, depth + 1, parts));
        }
        IntPredicate all = rank -> parts.stream().allMatch(p -> p.test(rank));
        IntPredicate any = rank -> parts.isEmpty() || parts.stream().anyMatch(p -> p.test(rank));
        truth.add(kind == 2 ? all : kind == 3 ? any : all.negate());
        return kind == 2 ? Constraint.and(values) : kind == 3 ? Constraint.or(values) : Constraint.not(values);
    }

    @Test
    void constraintsAndResourcesThatAreTooDeepAreRefused() {
        assertThatThrownBy(() -> {
                    Constraint nested = Constraint.all();
                    for (int i = 0; i < 100_000; i++) {
                        nested = Constraint.not(List.of(nested));
                    }
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a constraint nested deeper than 1000 levels");
        assertThatThrownBy(() -> {
                    Resource nested = Resource.of("a", 1);
                    for (int i = 0; i < 100_000; i++) {
                        nested = Resource.of("a", 1, nested);
                    }
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("resources nested deeper than 100 levels");
    }
}
