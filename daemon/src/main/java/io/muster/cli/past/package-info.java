/**
 * The past package has the verbs about the past: history and report. It depends on terminal, ask, the inventory and the
 * daemon's journal package. It runs on the main thread.
 */
@NullMarked
package io.muster.cli.past;

import org.jspecify.annotations.NullMarked;
