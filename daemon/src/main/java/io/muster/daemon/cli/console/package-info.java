/**
 * Shared by all verbs: the terminal, the exit status, the connection to a server and its answers. Depends on the client, the inventory and
 * render. Runs on the main thread.
 */
@NullMarked
package io.muster.daemon.cli.console;

import org.jspecify.annotations.NullMarked;
