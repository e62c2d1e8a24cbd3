/**
 * The rset package has resource sets: the resources of each rank, read and written as R version 1 (RFC 20) without loss, and
 * set operations on them. It depends on the idset, hostlist, json, jgf and problem packages and on Jackson's tree model. Its
 * values are immutable and may be used on any thread, as long as no code changes a JSON tree that {@link
 * io.muster.inventory.rset.ResourceSet} returned.
 */
@NullMarked
package io.muster.inventory.rset;

import org.jspecify.annotations.NullMarked;
