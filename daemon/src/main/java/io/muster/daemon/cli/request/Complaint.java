package io.muster.daemon.cli.request;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.muster.daemon.cli.console.Console;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.request.Shape;
import java.util.regex.Pattern;

/** What is wrong with a request, said to the person who wrote it. */
final class Complaint {
    private static final Pattern JACKSONS_OWN = Pattern.compile(" \\(start marker at \\[.*?]\\)");

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

    /** What is wrong with JSON, without what Jackson says of itself. */
    static String sentence(JsonProcessingException e) {
        return JACKSONS_OWN.matcher(e.getOriginalMessage()).replaceAll("");
    }

    void advise(String sentence) {
        console.complain("  " + sentence);
    }
}
