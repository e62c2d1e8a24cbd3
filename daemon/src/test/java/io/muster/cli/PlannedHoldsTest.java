package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.terminal.Exit;
import org.junit.jupiter.api.Test;

/** Planned holds, and the class and the ticket of holds, from the command line. */
class PlannedHoldsTest extends VerbTest {
    PlannedHoldsTest() {
        super("""
                [[resource.config]]
                hosts = "node[0-3]"
                cores = "0-3"
                [holds]
                classes = ["hardware", "facility"]
                """);
    }

    @Test
    void aPlannedHoldIsShownByEveryViewAndCancelled() {
        succeeds("drain", "--from=10d", "--for=12h", "--holder=ops", "--ticket=OPS-881", "node[1-2]", "new", "cooling");
        assertThat(out("drain", "-n")).isEmpty();
        assertThat(muster("status", "-no", "state,nnodes").out()).isEqualTo("available 4\n");
        String will = "node[1-2] will be drained in 10d for 12h: OPS-881 new cooling (ops)\n";
        String soon = will.replace("10d", "9d");
        assertThat(muster("status").err()).isIn("muster status: " + will, "muster status: " + soon);
        assertThat(muster("list").err()).isIn("muster list: " + will, "muster list: " + soon);
        assertThat(out("why", "node1"))
                .containsPattern("planned +will be drained in (10|9)d for 12h: OPS-881 new cooling \\(ops\\), from ");
        assertThat(out("summary"))
                .containsPattern(
                        "planned +in (10|9)d +planned +2 +in (10|9)d +ops +OPS-881 new cooling +node\\[1-2\\]");
        assertThat(out("drain", "--planned"))
                .containsPattern("FROM +IN +UNTIL +HOLDER +BY +CLASS +TICKET +ACTION +CHECK +REASON +NODELIST")
                .containsPattern("(10|9)d .* ops .* OPS-881 +new cooling +node\\[1-2\\]");
        assertThat(refused(Exit.CONFLICT, "undrain", "--holder=ops", "node1").err())
                .contains("not drained");
        succeeds("undrain", "--planned", "--holder=ops", "node[1-2]", "postponed");
        assertThat(out("drain", "--planned")).isEmpty();
        assertThat(out("eventlog")).contains(" plan idset=\"1-2\"", " unplan idset=\"1-2\"");
    }

    @Test
    void timesThatMakeNoSenseAreRefusedWithASentence() {
        assertThat(refused(Exit.USAGE, "drain", "--from=2001-01-01", "node1", "x")
                        .err())
                .isEqualTo("muster drain: --from: 2001-01-01 is in the past\n  without --from, the hold begins now\n");
        assertThat(refused(Exit.USAGE, "drain", "--from=3d", "--until=@1", "node1", "x")
                        .err())
                .contains("--until: @1 is in the past");
        assertThat(refused(
                                Exit.USAGE,
                                "drain",
                                "--from=3d",
                                "--until=@" + (System.currentTimeMillis() / 1000 + 3600),
                                "node1",
                                "x")
                        .err())
                .contains("is before --from, 3d");
        assertThat(refused(Exit.USAGE, "drain", "--from=2206-12-01", "node1", "x")
                        .err())
                .contains("more than 5 years ahead: check the year");
        assertThat(refused(Exit.USAGE, "drain", "--from=3d").err()).contains("there are no TARGETS");
    }

    @Test
    void classAndTicketAreColumnsFiltersAndSums() {
        succeeds("drain", "--class=hardware", "--ticket=OPS-881", "node1", "bad", "dimm");
        succeeds("drain", "--class=facility", "node2", "cooling");
        assertThat(out("drain", "-no", "class,ticket,reason,nodelist", "--class=hardware"))
                .isEqualTo("hardware OPS-881 bad dimm node1\n");
        assertThat(out("status", "-no", "reason,nodelist", "--ticket=OPS-881")).isEqualTo("OPS-881 bad dimm node1\n");
        assertThat(out("status", "-no", "nodelist", "--class=facility")).isEqualTo("node2\n");
        assertThat(out("why", "node1")).contains("admin: OPS-881 bad dimm by ").contains(", class hardware");
        assertThat(out("find", "--hosts", "node and class=hardware")).isEqualTo("node1\n");
        assertThat(out("find", "--hosts", "ticket=OPS-* or class=facility")).isEqualTo("node[1-2]\n");
        assertThat(out("report", "--by=class")).contains("hardware").contains("facility");
        assertThat(out("report", "--by=ticket", "--csv")).contains("OPS-881,1,1,1,");
        assertThat(refused(Exit.USAGE, "drain", "--class=hardwear", "node3", "x")
                        .err())
                .isEqualTo("muster drain: there is no class \"hardwear\": there are hardware, facility; did you mean"
                        + " hardware? (holds.classes)\n  nothing was changed\n");
        assertThat(refused(Exit.USAGE, "drain", "--ticket=OPS 1", "node3", "x").err())
                .contains("a ticket is one word of at most 64 characters, such as OPS-881");
    }
}
