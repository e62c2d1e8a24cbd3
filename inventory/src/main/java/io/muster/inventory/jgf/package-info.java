/**
 * The jgf package reads the JSON Graph Format (JGF), the format of the graph in R's key {@code scheduling} (RFC 20, RFC 40). The
 * package depends on Jackson only, and knows neither resource sets nor graphs: both are built by consumers of the reader. A
 * reader belongs to the thread that made it.
 */
@NullMarked
package io.muster.inventory.jgf;

import org.jspecify.annotations.NullMarked;
