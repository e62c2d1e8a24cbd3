/**
 * The terminal: output, tables, templates, times and exit statuses. Depends on the protocol's error numbers and on the
 * configuration's durations. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.terminal;

import org.jspecify.annotations.NullMarked;
