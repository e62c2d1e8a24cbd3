package io.muster.inventory.problem;

import java.util.ArrayList;
import java.util.List;

/** Collects the faults in a document, so that the document is refused once with all reasons and not once for each reason. */
public final class Problems {
    /**
     * The highest number of errors, and of warnings, that are kept, so that a hostile document does not cause an unbounded
     * report.
     */
    private static final int LIMIT = 100;

    private final List<Problem> errors = new ArrayList<>();
    private final List<Problem> warnings = new ArrayList<>();
    private int dropped;

    public void add(String place, String sentence) {
        if (errors.size() < LIMIT) {
            errors.add(new Problem(place, sentence));
        } else {
            dropped++;
        }
    }

    /** Adds a warning: the document is accepted, although the specification demands something else here. */
    public void warn(String place, String sentence) {
        if (warnings.size() < LIMIT) {
            warnings.add(new Problem(place, sentence));
        }
    }

    public boolean isEmpty() {
        return errors.isEmpty();
    }

    public List<Problem> errors() {
        return List.copyOf(errors);
    }

    public List<Problem> warnings() {
        return List.copyOf(warnings);
    }

    /**
     * Refuses the document if there are errors.
     *
     * @param subject name of the document for messages, such as "R", "jobspec" or a file name
     * @throws InvalidException if any error was added
     */
    public void throwIfAny(String subject) {
        if (!errors.isEmpty()) {
            throw exception(subject);
        }
    }

    /** Returns an exception with all problems added so far, for a reader that cannot continue. */
    public InvalidException exception(String subject) {
        return new InvalidException(subject, errors(), dropped);
    }
}
