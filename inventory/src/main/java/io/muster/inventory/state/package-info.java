/**
 * The whole state of the inventory, the commands that may change it and the events that do. Depends on the axes and the packages
 * below them; time and identity come in as arguments. Every value is immutable, so any thread may read it; only the daemon's core
 * thread decides and applies.
 */
@NullMarked
package io.muster.inventory.state;

import org.jspecify.annotations.NullMarked;
