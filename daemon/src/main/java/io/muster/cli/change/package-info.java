/**
 * Verbs that change the inventory, each with one request to the daemon. Depends on terminal and ask. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.change;

import org.jspecify.annotations.NullMarked;
