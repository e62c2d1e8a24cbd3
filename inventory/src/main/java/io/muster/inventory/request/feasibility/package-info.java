/**
 * Decides whether the inventory could ever, or can now, satisfy a request. This package depends on requests, the graph,
 * resource sets and idsets. A {@link io.muster.inventory.request.feasibility.Feasibility} is immutable and may be asked from
 * any thread.
 */
@NullMarked
package io.muster.inventory.request.feasibility;

import org.jspecify.annotations.NullMarked;
