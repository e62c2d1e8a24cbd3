package io.muster.inventory.hostlist;

/** Receives runs of hosts that two lists or sets share. */
@FunctionalInterface
public interface MatchConsumer {
    /** {@code count} hosts from {@code here} on in one are those from {@code there} on in the other. */
    void accept(int here, int there, int count);
}
