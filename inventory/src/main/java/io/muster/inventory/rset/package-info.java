/**
 * Resource sets: who has what, as RFC 20 R version 1, read and written without loss, and the algebra on them. Depends on
 * the idset, hostlist and problem packages and on Jackson's tree model. Everything here is immutable and may be used on
 * any thread, provided that nobody changes a JSON tree that {@link io.muster.inventory.rset.ResourceSet} handed out.
 */
@NullMarked
package io.muster.inventory.rset;

import org.jspecify.annotations.NullMarked;
