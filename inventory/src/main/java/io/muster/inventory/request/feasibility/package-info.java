/**
 * Whether the inventory could ever, or can now, give what a request asks. Depends on requests, the graph, resource sets and
 * idsets. A {@link io.muster.inventory.request.feasibility.Feasibility} is immutable and may be asked from any thread.
 */
@NullMarked
package io.muster.inventory.request.feasibility;

import org.jspecify.annotations.NullMarked;
