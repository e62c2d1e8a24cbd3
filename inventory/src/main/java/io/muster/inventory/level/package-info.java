/**
 * The level package lists the format levels of the state directory. It depends on no other package of the project. Everything here
 * is a constant, which any thread may read.
 */
@NullMarked
package io.muster.inventory.level;

import org.jspecify.annotations.NullMarked;
