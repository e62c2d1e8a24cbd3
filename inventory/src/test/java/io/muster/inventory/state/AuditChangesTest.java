package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import org.junit.jupiter.api.Test;

/** Results of audits, which the journal has and the state has not. */
class AuditChangesTest {
    private final States four = States.four();

    @Test
    void theEventNamesTheRanksThatRStillHas() {
        assertThat(States.words(four.run(
                        new AuditChanges.RecordAudit("flux", Idset.range(2, 7), "up, drained"), Principal.DAEMON)))
                .isEqualTo(
                        "audit {'idset':'2-3','nodelist':'host[2-3]','scheduler':'flux','differences':'up, drained'}");
        assertThat(States.words(four.run(new AuditChanges.RecordAudit("flux", Idset.EMPTY, ""), Principal.DAEMON)))
                .isEqualTo("audit {'idset':'','nodelist':'','scheduler':'flux','differences':''}");
    }

    @Test
    void theStateStaysAsItIs() {
        String before = States.snapshot(four.state());
        four.after(new AuditChanges.RecordAudit("flux", Idset.of(1), "up"));
        assertThat(States.snapshot(four.state())).isEqualTo(before);
    }

    @Test
    void anEventIsReadAsItWasWritten() {
        four.after(new AuditChanges.RecordAudit("flux", Idset.of(1), "up"));
        Entry written = four.entries().get(four.entries().size() - 1);
        assertThat(Entry.parse(States.tree(written))).isEqualTo(written);
    }
}
