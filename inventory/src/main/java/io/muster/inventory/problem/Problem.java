package io.muster.inventory.problem;

/**
 * One thing wrong with a document.
 *
 * @param place a JSON pointer, a {@code file:line}, or "" for the whole document
 * @param sentence what is wrong there and, where this helps, what would be right
 */
public record Problem(String place, String sentence) {
    @Override
    public String toString() {
        return place.isEmpty() ? sentence : place + ": " + sentence;
    }
}
