/**
 * The journal package has the verbs that read and repair a journal on disk, without a daemon. It depends on terminal, ask,
 * the inventory and the daemon's journal package. It runs on the main thread.
 */
@NullMarked
package io.muster.cli.journal;

import org.jspecify.annotations.NullMarked;
