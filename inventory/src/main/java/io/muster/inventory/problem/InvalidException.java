package io.muster.inventory.problem;

import java.util.List;
import java.util.stream.Collectors;

/** A document was refused whole; {@link #problems()} says every reason found. */
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
