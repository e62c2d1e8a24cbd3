/**
 * Verbs that read and repair a journal on disk, without a daemon. Depends on terminal, ask, the inventory and the daemon's
 * journal package. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.journal;

import org.jspecify.annotations.NullMarked;
