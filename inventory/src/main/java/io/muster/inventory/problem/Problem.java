package io.muster.inventory.problem;

/**
 * One thing wrong with a document. Both texts may quote it, and are escaped, so that they can be printed.
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
