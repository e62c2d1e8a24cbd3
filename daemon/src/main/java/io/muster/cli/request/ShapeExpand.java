package io.muster.cli.request;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.request.Resource;
import io.muster.inventory.request.Shape;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster shape expand}. */
@Command(
        name = "expand",
        description = "Print a shape (RFC 46) as the resources list of a jobspec (RFC 14), in YAML.",
        footer = {"  muster shape expand 'slot=4/[core=8;gpu]'", "  muster shape expand --json 'node=2/slot/core=4'"})
public final class ShapeExpand extends Verb {
    @Parameters(paramLabel = "SHAPE", description = "The shape. - reads it from standard input.")
    private String shape = "";

    @Option(names = "--json", description = "Print JSON on one line.")
    private boolean json;

    public ShapeExpand(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        String text = shape.equals("-") ? new Source(shape).text(console()).strip() : shape;
        try {
            ArrayNode resources = Resource.toJson(Shape.parse(text));
            if (json) {
                console().json(resources.toString());
            } else {
                console().print(Yaml.write(resources));
            }
            return Exit.OK;
        } catch (MalformedException e) {
            if (json) {
                throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
            }
            new ProblemPrinter(console(), "muster shape expand").about(e);
            return Exit.USAGE;
        }
    }
}
