package io.muster.cli.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.history.Outage;
import io.muster.inventory.history.Period;
import io.muster.inventory.history.Totals;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportVerbTest {
    @Test
    void csvQuotesTextThatASpreadsheetWouldInterpretAsAFormula() {
        Totals totals = new Totals(Totals.By.REASON, new Period(105, 130));
        Outage bad = Outage.open(Outage.Kind.DRAINED, "admin", "bad", 100, "ada");
        totals.add(bad, List.of("n2"));
        totals.add(bad.ended(110, "ada", ""), List.of("n1"));
        totals.add(Outage.open(Outage.Kind.DRAINED, "admin", "=cmd,\"x\"", 120, "ada"), List.of("n1"));

        assertThat(ReportVerb.csv("reason", totals.toJson().path("totals")))
                .isEqualTo("reason,nodes,times,open,total_seconds,mean_seconds,longest_seconds\r\n"
                        + "bad,2,2,1,30,15,25\r\n"
                        + "\"'=cmd,\"\"x\"\"\",1,1,1,10,10,10\r\n");
    }
}
