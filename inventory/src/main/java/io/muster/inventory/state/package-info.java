/**
 * What the inventory is and how it may change: the rules of membership, liveness, holds and properties, as pure values.
 * Depends on the other inventory packages only; time and identity come in as arguments. Immutable, so any thread may
 * read it; the daemon's core thread alone decides and applies.
 */
@NullMarked
package io.muster.inventory.state;

import org.jspecify.annotations.NullMarked;
