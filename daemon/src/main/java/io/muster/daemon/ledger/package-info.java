/**
 * The ledger package is the interface between the core and the journal: changes are submitted to a ledger in batches, and
 * the ledger reports an outcome for each batch. It depends on the format levels and on no other package of the daemon. Each
 * method says which threads may call it.
 */
@NullMarked
package io.muster.daemon.ledger;

import org.jspecify.annotations.NullMarked;
