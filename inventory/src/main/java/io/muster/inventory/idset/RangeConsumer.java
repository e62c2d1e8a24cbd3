package io.muster.inventory.idset;

/** Receives the maximal ranges of a set, in ascending order. */
@FunctionalInterface
public interface RangeConsumer {
    /**
     * Receives one range.
     *
     * @param first lowest id of the range
     * @param last highest id of the range, never below {@code first}
     */
    void accept(int first, int last);
}
