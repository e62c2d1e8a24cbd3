package io.muster.cli.request;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Verb;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.request.Shape;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster shape compact}. */
@Command(
        name = "compact",
        description = "Print the shortest shape (RFC 46) of a jobspec or of a resources list (RFC 14).",
        footer = {"  muster shape compact jobspec.yaml", "  muster shape expand 'slot/core=4' | muster shape compact"})
public final class ShapeCompact extends Verb {
    @Parameters(
            arity = "0..1",
            defaultValue = "-",
            paramLabel = "FILE",
            description = "A file in YAML or JSON. Default, and for -: standard input.")
    private String file = "-";

    public ShapeCompact(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        Source source = new Source(file);
        try {
            console()
                    .println(Shape.print(
                            ParsedRequest.parse(source.text(console())).resources()));
            return Exit.OK;
        } catch (InvalidException e) {
            new ProblemPrinter(console(), "muster shape compact").about(source.shown(), e);
            return Exit.USAGE;
        }
    }
}
