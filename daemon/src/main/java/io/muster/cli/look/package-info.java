/**
 * Verbs that ask about the inventory and change nothing. Depends on terminal, ask, the client, the protocol's messages and
 * the inventory. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.look;

import org.jspecify.annotations.NullMarked;
