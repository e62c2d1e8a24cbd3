/**
 * Decides whether the inventory could ever provide what a request asks for, or could provide it now. Depends on requests, the graph,
 * resource sets and idsets. A {@link io.muster.inventory.feasibility.Feasibility} is immutable and may be asked from any thread.
 */
@NullMarked
package io.muster.inventory.feasibility;

import org.jspecify.annotations.NullMarked;
