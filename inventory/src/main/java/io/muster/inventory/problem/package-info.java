/**
 * Reports of bad input: one place and one sentence per problem. This package depends on nothing but Jackson's exceptions; every
 * other package may use it. Everything here is immutable except {@link io.muster.inventory.problem.Problems}, which belongs to
 * the code that made it.
 */
@NullMarked
package io.muster.inventory.problem;

import org.jspecify.annotations.NullMarked;
