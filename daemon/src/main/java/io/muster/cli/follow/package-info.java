/**
 * The follow package has the verbs that print responses of the daemon and may run until they are interrupted:
 * {@code acquire}, {@code eventlog}, {@code top} and {@code watch}. It depends on terminal, ask, the client, the protocol's
 * error numbers and the inventory. It runs on the main thread.
 */
@NullMarked
package io.muster.cli.follow;

import org.jspecify.annotations.NullMarked;
