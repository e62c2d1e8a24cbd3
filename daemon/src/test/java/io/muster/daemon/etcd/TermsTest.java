package io.muster.daemon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TermsTest {
    private static String txn(long first, String term) {
        return String.format(Locale.ROOT, "%016d-%s-1-%s", first, term, "9ac3");
    }

    @Test
    void a_term_is_what_the_transactions_of_one_writer_have_in_common() {
        assertThat(Terms.name("0000000000004699-1f-12-9ac31")).isEqualTo("1f-9ac31");
        assertThat(Terms.name("import-bd003ad1")).isEqualTo("import-bd003ad1");
        Terms terms = Terms.NONE
                .with("0000000000000001-1f-1-9ac31", 1)
                .with("0000000000000005-1f-2-9ac31", 5)
                .with("0000000000000008-2a-1-9ac32", 8);
        assertThat(terms.all()).containsExactly(new Terms.Term(1, "1f-9ac31"), new Terms.Term(8, "2a-9ac32"));
        assertThat(terms.at(7)).isEqualTo("1f-9ac31");
        assertThat(Terms.NONE.at(7)).isEmpty();
        assertThat(Terms.parse(terms.toJson())).isEqualTo(terms);
        assertThat(terms.until(7).all()).hasSize(1);
    }

    @Test
    void the_last_1024_terms_are_kept() {
        Terms terms = Terms.NONE;
        for (int i = 1; i <= Terms.MOST + 3; i++) {
            terms = terms.with(txn(i, Integer.toHexString(i)), i);
        }
        assertThat(terms.all()).hasSize(Terms.MOST);
        assertThat(terms.at(3)).isEmpty();
        assertThat(terms.have(4, "4-9ac3")).isTrue();
        assertThat(terms.have(3, "3-9ac3")).isFalse();
    }

    /** A history is a list of the terms of its events. A restore cuts it, and another term continues it. */
    @Seeds
    void terms_show_whether_an_event_is_in_another_history(Random random) {
        List<String> shared = new ArrayList<>();
        int[] term = {0};
        extend(shared, term, random);
        List<String> own = new ArrayList<>(shared);
        List<String> other = new ArrayList<>(shared.subList(0, random.nextInt(shared.size() + 1)));
        if (other.size() == shared.size()) {
            extend(own, term, random); // the former leader may go on in its term
        }
        term[0]++;
        extend(other, term, random);
        while (other.size() < own.size()) {
            extend(other, term, random);
        }
        Terms owns = of(own);
        Terms others = of(other);
        for (int seq = 1; seq <= own.size(); seq++) {
            boolean agree = own.subList(0, seq).equals(other.subList(0, seq));
            assertThat(others.have(seq, owns.at(seq)))
                    .as("%s in %s", own.subList(0, seq), other)
                    .isEqualTo(agree);
        }
    }

    private static void extend(List<String> history, int[] term, Random random) {
        for (int i = random.nextInt(4); i >= 0; i--) {
            term[0]++;
            for (int events = random.nextInt(3); events >= 0; events--) {
                history.add(Integer.toHexString(term[0]));
            }
        }
    }

    private static Terms of(List<String> history) {
        Terms terms = Terms.NONE;
        for (int seq = 1; seq <= history.size(); seq++) {
            terms = terms.with(txn(seq, history.get(seq - 1)), seq);
        }
        return terms;
    }
}
