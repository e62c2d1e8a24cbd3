/**
 * Sets of ranks and ids in RFC 22 idset form. This package depends on the problem package only; no type of the bitmap library
 * is visible outside it. Everything here is immutable and may be used on any thread.
 */
@NullMarked
package io.muster.inventory.idset;

import org.jspecify.annotations.NullMarked;
