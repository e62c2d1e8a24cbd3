package io.muster.daemon.ledger;

import org.jspecify.annotations.Nullable;

/**
 * The part that a daemon has in a shared ledger, as the daemon last read it.
 *
 * @param term the term in which this daemon leads; 0 if it does not
 * @param leader null if no daemon is known to lead
 * @param lag the number of events that the ledger had at the last read and that this daemon has not applied
 * @param age the state of this daemon was the newest one this many seconds ago
 */
public record Role(long term, @Nullable Leader leader, Roster roster, long lag, double age) {}
