/**
 * The axis package has the four axes of a rank (membership, liveness, holds and properties) and their values. It depends on
 * resource sets, hostlists, idsets and the json package, and knows nothing about commands, events or the whole state. Every
 * value is immutable, so any thread may read it.
 */
@NullMarked
package io.muster.inventory.axis;

import org.jspecify.annotations.NullMarked;
