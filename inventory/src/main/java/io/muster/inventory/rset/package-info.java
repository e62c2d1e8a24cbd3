/**
 * Resource sets: the resources of each rank, read and written as RFC 20 R version 1 without loss, and the algebra on them. This package
 * depends on the idset, hostlist, json and problem packages and on Jackson's tree model. Everything here is immutable and may be used on
 * any thread, provided that no code changes a JSON tree that {@link io.muster.inventory.rset.ResourceSet} handed out.
 */
@NullMarked
package io.muster.inventory.rset;

import org.jspecify.annotations.NullMarked;
