/**
 * Verbs that print what the daemon sends, and may run until they are interrupted: {@code acquire}, {@code eventlog} and {@code watch}.
 * Depends on terminal, ask, the client, the protocol's error numbers and the inventory. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.follow;

import org.jspecify.annotations.NullMarked;
