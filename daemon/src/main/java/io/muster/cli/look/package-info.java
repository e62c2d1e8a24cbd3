/**
 * The look package has the verbs that ask about the inventory and change nothing. It depends on terminal, ask, the client,
 * the protocol's messages and the inventory. It runs on the main thread.
 */
@NullMarked
package io.muster.cli.look;

import org.jspecify.annotations.NullMarked;
