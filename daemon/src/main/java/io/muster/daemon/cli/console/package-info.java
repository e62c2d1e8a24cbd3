/**
 * What all verbs share: the terminal, the exit status, the connection and what it says. Depends on the client, the
 * inventory and on render. Runs on the main thread.
 */
@NullMarked
package io.muster.daemon.cli.console;

import org.jspecify.annotations.NullMarked;
