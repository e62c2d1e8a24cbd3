package io.muster.inventory.hostlist;

/** Receives runs of consecutive hosts that two lists or two resource sets share. */
@FunctionalInterface
public interface MatchConsumer {
    /**
     * Receives one run: the {@code count} hosts from {@code index} on in one list are the hosts from {@code otherIndex} on in
     * the other.
     */
    void accept(int index, int otherIndex, int count);
}
