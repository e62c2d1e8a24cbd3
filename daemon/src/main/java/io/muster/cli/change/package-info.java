/**
 * The change package has the verbs that request a change from the daemon. A verb sends one request for the change, and may
 * ask for the inventory before and after it. The package depends on terminal, ask, the client, the protocol's messages and
 * the inventory. It runs on the main thread.
 */
@NullMarked
package io.muster.cli.change;

import org.jspecify.annotations.NullMarked;
