/**
 * The request package has the verbs about requests for resources and about the graph that requests are matched against:
 * {@code feasible}, {@code find}, {@code shape}, {@code jobspec} and {@code graph}. It depends on terminal, ask and the inventory. It runs
 * on the main thread.
 */
@NullMarked
package io.muster.cli.request;

import org.jspecify.annotations.NullMarked;
