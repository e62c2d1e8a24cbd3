/**
 * The resource graph of RFC 4: pools as vertices, edges by subsystem, the walker, JGF and pictures of graphs. This package depends
 * on resource sets, idsets, hostlists and Jackson, and knows nothing of requests. Graphs are immutable and may be used from any
 * thread; a builder, a walker and an accumulator belong to the code that made them.
 */
@NullMarked
package io.muster.inventory.graph;

import org.jspecify.annotations.NullMarked;
