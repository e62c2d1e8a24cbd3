package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.state.CheckChanges;
import io.muster.inventory.state.Command;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster check-result}. */
@CommandLine.Command(
        name = "check-result",
        description = {
            "Report the result of a check on a host. The result ok ends the hold that `muster drain --until-check` placed; failed"
                    + " keeps it.",
            "The result is about one attempt. Without --attempt, it is about the present one: a script that checks for long asks for"
                    + " the number before, with `muster work list HOST`, so that a result that comes late does not count.",
            "This needs the right report-check for the host, or the right change."
        },
        footer = {
            "  muster check-result node7 burn-in ok",
            "  muster check-result node7 nhc failed check_hw_mem: 60 GB, not 64 GB",
            "  muster check-result --attempt=17 node7 burn-in ok"
        })
public final class CheckResult extends Change {
    @Parameters(index = "0", paramLabel = "HOST", description = "The host that was checked.")
    private String host = "";

    @Parameters(index = "1", paramLabel = "CHECK", description = "Name of the check.")
    private String check = "";

    @Parameters(index = "2", paramLabel = "RESULT", description = "The result: ok or failed.")
    private String result = "";

    @Parameters(
            index = "3..*",
            arity = "0..*",
            paramLabel = "DETAIL",
            parameterConsumer = ReasonWords.class,
            description = "A line about the result: all words after it.")
    private String @Nullable [] detail;

    @Option(
            names = "--attempt",
            paramLabel = "NUMBER",
            description = "Number of the attempt. Default: the present one.")
    private @Nullable Long attempt;

    public CheckResult(Console console) {
        super(console);
    }

    @Override
    Command command(FluxClient client) throws IOException {
        if (!result.equals("ok") && !result.equals("failed")) {
            throw new Failure(Exit.USAGE, "the result is ok or failed, not \"" + result + "\"");
        }
        long number = Attempts.number(attempt, client, host, check);
        return new CheckChanges.ReportCheck(host, check, number, result.equals("ok"), ReasonWords.line(detail));
    }
}
