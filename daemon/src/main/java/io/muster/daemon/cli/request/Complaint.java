package io.muster.daemon.cli.request;

import io.muster.daemon.cli.console.Console;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.request.Shape;

/** What is wrong with a request, said to the person who wrote it. */
final class Complaint {
    private final Console console;
    private final String verb;

    /** @param verb the command, as in {@code muster feasible} */
    Complaint(Console console, String verb) {
        this.console = console;
        this.verb = verb;
    }

    /** The line in which it is, with a caret below the place. */
    void about(MalformedException e) {
        console.complain(verb + ": " + e.what() + ": " + e.reason());
        Shape.caret(e).lines().forEach(console::complain);
    }

    /** A line for each problem. */
    void about(String source, InvalidException e) {
        for (Problem problem : e.problems()) {
            console.complain(verb + ": " + source + ": " + problem);
        }
    }

    void advise(String sentence) {
        console.complain("  " + sentence);
    }
}
