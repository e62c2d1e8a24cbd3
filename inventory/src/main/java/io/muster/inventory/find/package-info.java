/**
 * The find package answers which vertices of a resource graph satisfy an expression ({@code docs/find.md}), and which of them
 * have the highest score (RFC 4). It depends on the graph and on R, and knows nothing about the state of the inventory. Every
 * expression is immutable; a finder belongs to the thread that made it.
 */
@NullMarked
package io.muster.inventory.find;

import org.jspecify.annotations.NullMarked;
