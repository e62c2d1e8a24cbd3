package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TargetExpressionTest {
    /** Ranks 0-3 on host[0-3]; rank 3 has the property batch. */
    private static final ResourceSet FOUR = States.resources("0-3", "host[0-3]");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1,3|1,3",
                "host[1,3]|1,3",
                "all|0-3",
                "@batch|3",
                "host[0-1],@batch|0-1,3",
                "2,all|0-3",
            })
    void findsRanks(String text, String ranks) {
        assertThat(TargetExpression.find(FOUR, text)).hasToString(ranks);
    }

    @Test
    void partsAreSplitAtCommasOutsideOfBracketsAndSearches() {
        assertThat(TargetExpression.parts("a,n[0,2],@{gpu in n[0,1] or name='},'},@p,/a/b"))
                .containsExactly("a", "n[0,2]", "@{gpu in n[0,1] or name='},'}", "@p", "/a/b");
        assertThat(TargetExpression.parts("@{a,b")).containsExactly("@{a,b");
        assertThatThrownBy(() -> TargetExpression.find(FOUR, "@{node}"))
                .hasMessageContaining("only a daemon can search");
    }

    @Test
    void allAndAPropertySelectOnlySelectableRanks() {
        assertThat(TargetExpression.find(FOUR, Idset.parse("0-1"), "all")).hasToString("0-1");
        assertThat(TargetExpression.find(FOUR, Idset.parse("0-1"), "@batch").isEmpty())
                .isTrue();
        assertThat(TargetExpression.find(FOUR, Idset.parse("0-1"), "2,all")).hasToString("0-2");
    }

    @Test
    void allMeansAHostIfRHasAHostOfThatName() {
        ResourceSet odd = States.resources("0-2", "all,host[1-2]");
        assertThat(TargetExpression.find(odd, "all,host1")).hasToString("0-1");
    }

    @Test
    void unknownRanksHostsAndPropertiesAreRefused() {
        assertThatThrownBy(() -> TargetExpression.find(FOUR, "@gpu"))
                .isInstanceOfSatisfying(
                        TargetException.class,
                        e -> assertThat(e.missingProperty()).isEqualTo("gpu"));
        assertThatThrownBy(() -> TargetExpression.find(FOUR, "host9,all")).isInstanceOf(TargetException.class);
        assertThatThrownBy(() -> TargetExpression.find(FOUR, "host[0")).isInstanceOf(MalformedException.class);
        assertThat(TargetExpression.among(FOUR, "host[3-9]")).hasToString("3");
        assertThatThrownBy(() -> TargetExpression.among(FOUR, "host9")).isInstanceOf(TargetException.class);
    }
}
