/**
 * What the daemon needs of the place that makes changes durable: changes are submitted to a ledger in batches, and the ledger reports an
 * outcome for each batch. Depends on nothing of the daemon. Each method says which threads may call it.
 */
@NullMarked
package io.muster.daemon.ledger;

import org.jspecify.annotations.NullMarked;
