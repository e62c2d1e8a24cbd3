package io.muster.inventory.problem;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown if a document is refused as a whole. {@link #problems()} lists every reason that was found. */
public final class InvalidException extends IllegalArgumentException {
    private final transient List<Problem> problems;

    public InvalidException(String subject, List<Problem> problems, int more) {
        super(subject + ": "
                + problems.stream().map(Problem::toString).collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more" : ""));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }
}
