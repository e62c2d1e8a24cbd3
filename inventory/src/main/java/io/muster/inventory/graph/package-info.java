/**
 * The resource graph of RFC 4: pools as vertices, edges by subsystem, the walker, JGF and pictures of it. Depends on resource
 * sets, idsets, hostlists and Jackson; knows nothing of requests. Graphs are immutable and may be used from any thread; a
 * builder, a walker and an accumulator belong to whoever made them.
 */
@NullMarked
package io.muster.inventory.graph;

import org.jspecify.annotations.NullMarked;
