/**
 * The state package has the whole state of the inventory, the commands that request changes and the events that carry the
 * changes out. It depends on the axes and the packages below them; the current time and the author are arguments. Every
 * value is immutable, so any thread may read it; only the daemon's core thread decides on commands and applies events.
 */
@NullMarked
package io.muster.inventory.state;

import org.jspecify.annotations.NullMarked;
