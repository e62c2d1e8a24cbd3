/**
 * Sets of ranks and ids in RFC 22 idset form. Depends on the problem package only; the bitmap library never escapes.
 * Everything here is immutable and may be used on any thread.
 */
@NullMarked
package io.muster.inventory.idset;

import org.jspecify.annotations.NullMarked;
