package io.muster.daemon.ledger;

import java.util.List;

/**
 * The daemons that share a ledger.
 *
 * @param term the term of the leader; 0 if no daemon leads
 * @param members the daemons, in the order of their names
 */
public record Roster(long term, List<Leader> members) {}
