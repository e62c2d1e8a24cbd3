package io.muster.inventory.problem;

import java.util.ArrayList;
import java.util.List;

/** Collects everything wrong with a document, so that it is refused once with all reasons and not once per reason. */
public final class Problems {
    /** A hostile document must not turn into an unbounded report. */
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

    /** Something accepted, but not as the specification has it. */
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

    /** For a reader that cannot go on after what it has added. */
    public InvalidException exception(String subject) {
        return new InvalidException(subject, errors(), dropped);
    }
}
