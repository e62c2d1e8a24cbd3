package io.muster.inventory.hostlist;

/** Receives runs of hosts that two lists or sets share. */
@FunctionalInterface
public interface MatchConsumer {
    /**
     * Receives one run: the {@code count} hosts from {@code index} on in one list are the hosts from {@code otherIndex} on in
     * the other.
     */
    void accept(int index, int otherIndex, int count);
}
