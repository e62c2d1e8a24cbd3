/**
 * {@code muster feasible}, {@code shape}, {@code jobspec} and {@code graph}: requests for resources, and the graph against which they are
 * matched. Depends on console, on the client, and on the inventory's request and graph. Runs on the main thread.
 */
@NullMarked
package io.muster.daemon.cli.request;

import org.jspecify.annotations.NullMarked;
