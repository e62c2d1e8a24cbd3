/**
 * Verbs that have the daemon change something. A verb sends one request for the change, and may ask for the inventory before and after.
 * Depends on terminal, ask, the client, the protocol's messages and the inventory. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.change;

import org.jspecify.annotations.NullMarked;
