package io.muster.inventory.hostlist;

/** Receives runs of hosts that two lists or sets share. */
@FunctionalInterface
public interface MatchConsumer {
    /**
     * Receives one run: the {@code count} hosts from index {@code here} on in one list are the hosts from index {@code there}
     * on in the other.
     */
    void accept(int here, int there, int count);
}
