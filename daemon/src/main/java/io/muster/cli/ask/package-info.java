/**
 * The parts that verbs share when they ask a daemon or read its files: connection options, targets, the overview of the inventory, and
 * the selection and the text of events. Depends on terminal, the client, the protocol's messages, the inventory and the
 * daemon's configuration and journal. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.ask;

import org.jspecify.annotations.NullMarked;
