/**
 * Answers questions about the past from the archive of a ledger: reads the archive and computes the intervals in which hosts
 * were drained, excluded or offline, and how long they were available. Depends on the ledger and on the inventory's history and graph. An
 * {@link io.muster.daemon.past.Inquiry} and a {@link io.muster.daemon.past.Survey} belong to the thread that uses them, which is never
 * the core thread.
 */
@NullMarked
package io.muster.daemon.past;

import org.jspecify.annotations.NullMarked;
