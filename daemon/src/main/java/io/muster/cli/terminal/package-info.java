/**
 * The terminal package has the output of verbs: text, tables, templates, times and exit statuses. It depends on the
 * protocol's error numbers, on the configuration's durations, and on hostlists and idsets, which it cuts. It runs on the main thread.
 */
@NullMarked
package io.muster.cli.terminal;

import org.jspecify.annotations.NullMarked;
