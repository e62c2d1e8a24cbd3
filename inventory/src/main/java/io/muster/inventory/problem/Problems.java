package io.muster.inventory.problem;

import java.util.ArrayList;
import java.util.List;

/** Collects everything that is wrong with a document, so that it is refused once with all reasons and not once per reason. */
public final class Problems {
    /** Errors kept at most, and warnings kept at most, so that a hostile document does not cause an unbounded report. */
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
     * @param subject what was read, as the reader knows it: "R", "jobspec", a file name
     * @throws InvalidException if any problem was added
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
