/**
 * The four axes of a rank: membership, liveness, holds and properties, and what each is made of. Depends on resource sets,
 * hostlists and idsets, and knows nothing of commands, events or the whole state. Every value is immutable, so any thread may read it.
 */
@NullMarked
package io.muster.inventory.axis;

import org.jspecify.annotations.NullMarked;
