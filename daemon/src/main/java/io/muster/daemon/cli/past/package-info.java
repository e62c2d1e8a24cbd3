/**
 * Verbs about what happened: the journal on disk, and what follows from it. Depends on console, render, and on the
 * daemon's journal and configuration packages. Runs on the main thread.
 */
@NullMarked
package io.muster.daemon.cli.past;

import org.jspecify.annotations.NullMarked;
