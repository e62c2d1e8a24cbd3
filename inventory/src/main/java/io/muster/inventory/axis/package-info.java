/**
 * The four axes of a rank (membership, liveness, holds and properties) and the values that they consist of. Depends on resource sets,
 * hostlists, idsets and the json package, and knows nothing of commands, events or the whole state. Every value is immutable, so any
 * thread may read it.
 */
@NullMarked
package io.muster.inventory.axis;

import org.jspecify.annotations.NullMarked;
