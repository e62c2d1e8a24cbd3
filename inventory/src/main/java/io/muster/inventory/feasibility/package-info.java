/**
 * The feasibility package decides whether the inventory could ever provide what a request asks for, and whether it could
 * provide this now. It depends on requests, the graph, resource sets, idsets and the text of times.
 * A {@link io.muster.inventory.feasibility.Feasibility} is immutable and may be used on any thread.
 */
@NullMarked
package io.muster.inventory.feasibility;

import org.jspecify.annotations.NullMarked;
