package io.muster.cli.request;

import io.muster.cli.terminal.Console;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.request.Shape;

/** Prints the problems of a request, for the user of the verb. */
final class ProblemPrinter {
    private final Console console;
    private final String verb;

    /** @param verb the command line up to the verb, such as {@code muster feasible} */
    ProblemPrinter(Console console, String verb) {
        this.console = console;
        this.verb = verb;
    }

    /** Prints the line with the fault, and a caret below the position of the fault. */
    void about(MalformedException e) {
        console.complain(verb + ": " + e.what() + ": " + e.reason());
        Shape.caret(e).lines().forEach(console::complain);
    }

    /** Prints a line for each problem. */
    void about(String source, InvalidException e) {
        for (Problem problem : e.problems()) {
            console.complain(verb + ": " + source + ": " + problem);
        }
    }

    void advise(String sentence) {
        console.complain("  " + sentence);
    }
}
