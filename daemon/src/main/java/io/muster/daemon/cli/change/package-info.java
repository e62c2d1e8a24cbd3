/**
 * Verbs that change the inventory, each one request to the daemon. Depends on console, query and render. Runs on the
 * main thread.
 */
@NullMarked
package io.muster.daemon.cli.change;

import org.jspecify.annotations.NullMarked;
