/**
 * Verbs about the past: history and report. Depends on terminal, ask, the inventory and the daemon's journal
 * package. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.past;

import org.jspecify.annotations.NullMarked;
