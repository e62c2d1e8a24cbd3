/**
 * Answers questions about the past from the archive of a ledger: reads the archive and computes the intervals in which hosts
 * were drained, excluded or offline. Depends on the ledger and on the inventory's history. An
 * {@link io.muster.daemon.past.Inquiry} belongs to the thread that uses it, which is never the core thread.
 */
@NullMarked
package io.muster.daemon.past;

import org.jspecify.annotations.NullMarked;
