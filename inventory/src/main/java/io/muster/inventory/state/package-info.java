/**
 * The whole state of the inventory, the commands that request changes and the events that make them. Depends on the axes and the packages
 * below them; time and identity are arguments. Every value is immutable, so any thread may read it; only the daemon's core thread decides
 * and applies.
 */
@NullMarked
package io.muster.inventory.state;

import org.jspecify.annotations.NullMarked;
