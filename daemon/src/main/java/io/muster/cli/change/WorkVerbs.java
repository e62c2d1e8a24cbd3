package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.SelectionOptions;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Column;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Table;
import io.muster.cli.terminal.When;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.WorkChanges;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verbs of {@code muster work}. */
public final class WorkVerbs {
    private static final String ATTEMPT = "Number of the attempt. Default: the present one.";
    private static final String HOST = "The host.";

    private WorkVerbs() {}

    @CommandLine.Command(
            name = "list",
            description = {
                "Show the holds that wait for an action or for a check, one line for each host.",
                "STATE is busy until it is known that no job uses the host, then offered until somebody claims the work, then"
                        + " claimed; failed if the action was not done. It is check while a check is awaited, and check-failed after"
                        + " a failure of the check."
            },
            footer = {"  muster work list", "  muster work list --state=offered --json"})
    public static final class Listing extends ReadVerb {
        @Parameters(
                arity = "0..*",
                paramLabel = "TARGETS",
                description = "Ranks, hosts, @PROPERTY, @{EXPR} or all. - reads them from standard input.")
        private List<String> targets = List.of();

        @Mixin
        private final SelectionOptions selection = new SelectionOptions();

        @Mixin
        private final ZoneOption zone = new ZoneOption();

        @Option(
                names = {"-s", "--states", "--state"},
                paramLabel = "STATE,...",
                split = ",",
                hideParamSyntax = true,
                description = "Only attempts in these states.")
        private List<String> states = List.of();

        public Listing(Console console) {
            super(console);
        }

        @Override
        protected int run(FluxClient client) throws IOException {
            ObjectNode question = selection.question(console(), targets);
            if (!states.isEmpty()) {
                question.put("states", String.join(",", states));
            }
            StateDocument answer = StateDocument.ask(client, StateDocument.WORK, question);
            if (json()) {
                console().json(answer.json());
                return Exit.OK;
            }
            Table table = new Table(
                    Column.left("host", "HOST"),
                    Column.left("holder", "HOLDER"),
                    Column.right("attempt", "ATTEMPT"),
                    Column.left("action", "ACTION"),
                    Column.left("check", "CHECK"),
                    Column.left("state", "STATE"),
                    Column.left("until", "UNTIL"),
                    Column.flexible("detail", "DETAIL"));
            for (JsonNode each : answer.json().path("attempts")) {
                double until = StateDocument.time(each.path("until"));
                String by = each.path("by").path("user").asText();
                String detail = each.path("detail").asText();
                table.row(
                        each.path("host").asText(),
                        each.path("holder").asText(),
                        each.path("attempt").asText(),
                        each.path("action").asText(""),
                        each.path("check").asText(""),
                        each.path("state").asText(),
                        until == 0 ? "" : zone.zone(console()).second(until),
                        by.isEmpty() ? detail : by + (detail.isEmpty() ? "" : ": " + detail));
            }
            console().print(table.render(true, console().style()));
            return Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "claim",
            description = {
                "Claim the work on a host: nobody else does it until the claim ends.",
                "An attempt is claimed once. Report with `muster work done` or `muster work failed` before the claim ends: after"
                        + " that, the work is offered again as another attempt, and a late report is refused. This needs the right"
                        + " work."
            },
            footer = {"  muster work claim node7", "  muster work claim --lease=2h --attempt=17 node7"})
    public static final class Claim extends Change {
        @Parameters(paramLabel = "HOST", description = HOST)
        private String host = "";

        @Option(names = "--attempt", paramLabel = "NUMBER", description = ATTEMPT)
        private @Nullable Long attempt;

        @Option(
                names = "--lease",
                paramLabel = "DURATION",
                description = "How long the claim lasts, 10s to 7d. Default: 30m.")
        private String lease = "30m";

        public Claim(Console console) {
            super(console);
        }

        @Override
        Command command(FluxClient client) throws IOException {
            String refusal = "--lease: \"" + lease + "\" is not a duration, such as 30m or 2h";
            double seconds = When.duration(lease, 0, Double.MAX_VALUE, refusal).seconds();
            return new WorkChanges.ClaimWork(host, Attempts.number(attempt, client, host, ""), seconds);
        }

        @Override
        void tell(FluxClient client, ObjectNode answer) throws IOException {
            for (JsonNode each : Attempts.on(client, host, "")) {
                if (each.path("state").asText().equals("claimed")) {
                    console()
                            .println(each.path("action").asText() + " of " + host + ": attempt "
                                    + each.path("attempt").asText() + " is claimed until "
                                    + zone.zone(console()).second(StateDocument.time(each.path("until"))));
                }
            }
        }
    }

    /** A report about claimed work. */
    private abstract static class Report extends Change {
        private final boolean done;

        @Parameters(index = "0", paramLabel = "HOST", description = HOST)
        private String host = "";

        @Parameters(
                index = "1..*",
                arity = "0..*",
                paramLabel = "DETAIL",
                parameterConsumer = ReasonWords.class,
                description = "A line about the work: all words after HOST.")
        private String @Nullable [] detail;

        @Option(names = "--attempt", paramLabel = "NUMBER", description = ATTEMPT)
        private @Nullable Long attempt;

        Report(Console console, boolean done) {
            super(console);
            this.done = done;
        }

        @Override
        final Command command(FluxClient client) throws IOException {
            long number = Attempts.number(attempt, client, host, "");
            return new WorkChanges.ReportWork(host, number, done, ReasonWords.line(detail));
        }
    }

    @CommandLine.Command(
            name = "done",
            description = {
                "Report that claimed work is done. If the hold has a check, results of the check count from now on.",
                "Only the claimant reports, and before the claim ends. A reboot is done if the host itself has reported another boot"
                        + " id since the claim, as `muster check-node` does."
            },
            footer = {"  muster work done node7", "  muster work done --attempt=17 node7 new DIMM in A3"})
    public static final class Done extends Report {
        public Done(Console console) {
            super(console, true);
        }
    }

    @CommandLine.Command(
            name = "failed",
            description = {
                "Report that claimed work could not be done. The hold stays, and the work is not offered again.",
                "Drain the host again with -f and the same --action for another attempt."
            },
            footer = {"  muster work failed node7 BMC does not answer", "  muster work failed --attempt=17 node7"})
    public static final class Failed extends Report {
        public Failed(Console console) {
            super(console, false);
        }
    }
}
