/**
 * What verbs share when they ask a daemon or its files: connection options, targets, the overview of the inventory, events and how
 * they are chosen and worded. Depends on terminal, the client and the inventory. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.ask;

import org.jspecify.annotations.NullMarked;
