package io.muster.inventory.rset;

import static io.muster.inventory.rset.ResourceSetAlgebraTest.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.muster.inventory.idset.Idset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerificationTest {
    /** The sentences of {@code flux R verify}. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a | 1 | 0-3 | ''  | ''                                                | false
            z | 1 | 0-3 | ''  | rank 1 got hostname 'z', expected 'a'             | true
            a | 0 | 0-3 | ''  | rank 0 not found in expected ranks                | true
            a | 1 | 0-2 | ''  | rank 1 (a) missing resources: core3               | true
            a | 1 | 0-4 | '1' | rank 1 (a) has extra resources: core4,gpu1        | false
            """)
    void saysHowOneRankDiffers(String host, String rank, String cores, String gpus, String sentence, boolean fatal) {
        var differences = set("a,b", "1-2", "0-3", "").verify(set(host, rank, cores, gpus));

        assertThat(differences)
                .extracting(Difference::sentence)
                .isEqualTo(sentence.isEmpty() ? List.of() : List.of(sentence));
        assertThat(differences.stream().anyMatch(Difference::isFatal)).isEqualTo(fatal);
    }

    @Test
    void ranksWithTheSameDifferenceAreReportedTogether() {
        ResourceSet expected = set("n[0-9]", "0-9", "0-3", "0");
        ResourceSet actual = set("n[1-4]", "1-4", "0-2,5", "0")
                .append(set("x7", "7", "0", ""))
                .append(set("n[12-13]", "12-13", "0-3", "0"));

        assertThat(expected.verify(actual))
                .extracting(Difference::kind, Difference::sentence)
                .containsExactly(
                        tuple(Difference.Kind.UNKNOWN_RANK, "ranks 12-13 not found in expected ranks"),
                        tuple(Difference.Kind.HOSTNAME, "rank 7 got hostname 'x7', expected 'n7'"),
                        tuple(Difference.Kind.MISSING, "ranks 1-4 (n[1-4]) missing resources: core3"),
                        tuple(Difference.Kind.EXTRA, "ranks 1-4 (n[1-4]) have extra resources: core5"));
        assertThat(expected.verify(actual).get(2).ranks()).isEqualTo(Idset.range(1, 4));
        assertThat(expected.verify(actual).get(2).hosts()).hasToString("n[1-4]");
    }
}
