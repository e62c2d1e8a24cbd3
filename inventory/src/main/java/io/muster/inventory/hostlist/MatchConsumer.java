package io.muster.inventory.hostlist;

/** Receives runs of hosts that two lists share. */
@FunctionalInterface
interface MatchConsumer {
    /** {@code count} hosts from index {@code here} of the searched list are those from index {@code there} of the other. */
    void accept(int here, int there, int count);
}
