/**
 * Verbs about the past: the journal on disk, and the history computed from it. Depends on console, render, and on the daemon's journal and
 * configuration packages. Runs on the main thread.
 */
@NullMarked
package io.muster.daemon.cli.past;

import org.jspecify.annotations.NullMarked;
