package io.muster.cli.request;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.request.Jobspec;
import io.muster.inventory.request.Shape;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster jobspec validate}. */
@Command(
        name = "validate",
        description = {
            "Check a jobspec and report every problem, with its line or JSON pointer.",
            "Level v1 checks the text and the schema of RFC 25; level canonical checks RFC 14 and accepts every "
                    + "version.",
            "The exit status is 0 if the jobspec is valid, 1 if it is not, and 2 if it cannot be read. "
                    + "Notes do not count."
        },
        footer = {
            "  muster jobspec validate jobspec.yaml",
            "  muster jobspec validate --level=canonical --json < jobspec.json"
        })
public final class JobspecValidate extends Verb {
    private static final int INVALID = 1;

    @Parameters(
            arity = "0..1",
            defaultValue = "-",
            paramLabel = "FILE",
            description = "A jobspec in YAML or JSON. Default, and for -: standard input.")
    private String file = "-";

    @Option(
            names = "--level",
            paramLabel = "LEVEL",
            defaultValue = "v1",
            description = "Check at this level, v1 or canonical. Default: ${DEFAULT-VALUE}.")
    private String level = "v1";

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only problems.")
    private boolean quiet;

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    public JobspecValidate(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        Jobspec.Level wanted = level();
        Source source = new Source(file);
        String text = source.text(console());
        try {
            return valid(source, Jobspec.parse(text, wanted));
        } catch (InvalidException e) {
            if (json) {
                console().json(document(false, e.problems(), List.of()));
            } else {
                new ProblemPrinter(console(), "muster jobspec validate").about(source.shown(), e);
            }
            return INVALID;
        }
    }

    private Jobspec.Level level() {
        return switch (level) {
            case "v1" -> Jobspec.Level.V1;
            case "canonical" -> Jobspec.Level.CANONICAL;
            default -> throw new Failure(Exit.USAGE, "--level: " + level + " is not one of v1 and canonical");
        };
    }

    private int valid(Source source, Jobspec jobspec) {
        if (json) {
            console().json(document(true, List.of(), jobspec.notes()));
        } else if (!quiet) {
            jobspec.notes().forEach(note -> console().complain("note: " + source.shown() + ": " + note));
            console().println("ok: version " + jobspec.version() + ", " + Shape.print(jobspec.resources()));
        }
        return Exit.OK;
    }

    private static ObjectNode document(boolean valid, List<Problem> problems, List<Problem> notes) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", SCHEMA_VERSION).put("valid", valid);
        list(json.putArray("problems"), problems);
        list(json.putArray("notes"), notes);
        return json;
    }

    private static void list(ArrayNode array, List<Problem> problems) {
        for (Problem problem : problems) {
            array.addObject().put("place", problem.place()).put("sentence", problem.sentence());
        }
    }
}
