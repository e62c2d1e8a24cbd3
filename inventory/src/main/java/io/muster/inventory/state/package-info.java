/**
 * The state of the inventory and how it may change: the rules of membership, liveness, holds and properties, as pure values.
 * This package depends on the other inventory packages only; time and identity are passed as arguments. States are immutable,
 * so any thread may read them; only the daemon's core thread decides commands and applies events.
 */
@NullMarked
package io.muster.inventory.state;

import org.jspecify.annotations.NullMarked;
