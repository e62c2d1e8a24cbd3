/**
 * The graph package has the resource graph of RFC 4: pools as vertices, edges by subsystem, the walker, JGF and pictures of
 * graphs. It depends on resource sets, the reader of JGF, idsets, hostlists and Jackson, and knows nothing about requests.
 * Graphs are immutable and may be used from any thread; a builder, a walker and an accumulator belong to the thread that made
 * them.
 */
@NullMarked
package io.muster.inventory.graph;

import org.jspecify.annotations.NullMarked;
