/**
 * The problem package reports bad input: one place and one sentence for each problem. It depends on nothing but Jackson's
 * exceptions; every other package may use it. Its values are immutable except {@link io.muster.inventory.problem.Problems},
 * which belongs to the thread that made it.
 */
@NullMarked
package io.muster.inventory.problem;

import org.jspecify.annotations.NullMarked;
