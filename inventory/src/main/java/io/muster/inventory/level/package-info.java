/**
 * The format levels of the state directory. Depends on nothing of the project. Everything here is a constant, which any thread may
 * read.
 */
@NullMarked
package io.muster.inventory.level;

import org.jspecify.annotations.NullMarked;
