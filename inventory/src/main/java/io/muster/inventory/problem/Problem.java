package io.muster.inventory.problem;

/**
 * A fault in a document. Both texts may quote the document, so the constructor escapes them for printing.
 *
 * @param place a JSON pointer, a {@code file:line}, or "" for the whole document
 * @param sentence what is wrong there and, where this helps, what would be right
 */
public record Problem(String place, String sentence) {
    public Problem {
        place = Text.escaped(place);
        sentence = Text.escaped(sentence);
    }

    @Override
    public String toString() {
        return place.isEmpty() ? sentence : place + ": " + sentence;
    }
}
