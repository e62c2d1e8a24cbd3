package io.muster.inventory.idset;

/** Receives runs of consecutive ids that have the same value, in ascending order. */
@FunctionalInterface
public interface IntervalConsumer<V> {
    /**
     * Receives one interval.
     *
     * @param first lowest id of the interval
     * @param last highest id of the interval, never below {@code first}
     * @param value value of every id of the interval
     */
    void accept(int first, int last, V value);
}
