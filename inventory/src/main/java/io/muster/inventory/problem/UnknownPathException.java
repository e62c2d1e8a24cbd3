package io.muster.inventory.problem;

/** Thrown if no vertex of the resource graph has a path. The message is a sentence that names the path. */
public final class UnknownPathException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnknownPathException(String sentence) {
        super(sentence);
    }
}
