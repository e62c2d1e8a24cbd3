/**
 * Verbs about requests for resources and the graph that requests are matched against: {@code feasible}, {@code shape},
 * {@code jobspec} and {@code graph}. Depends on terminal, ask and the inventory. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.request;

import org.jspecify.annotations.NullMarked;
