/**
 * The idset package has sets of ranks and ids in the form of RFC 22, and maps from ids to values. It depends on the problem
 * package only; no type of the bitmap library is visible outside it. Sets and maps are immutable and may be used on any
 * thread; builders and writers belong to one thread.
 */
@NullMarked
package io.muster.inventory.idset;

import org.jspecify.annotations.NullMarked;
