/**
 * The resources that a job asks for, as jobspec (RFC 25, RFC 14) or shape (RFC 46), with counts (RFC 45) and constraints (RFC 31). This
 * package depends on the graph, the resource set, idsets, hostlists and Jackson's tree; never on state or anything outside this module.
 * All values are immutable and may be used from any thread.
 */
@NullMarked
package io.muster.inventory.request;

import org.jspecify.annotations.NullMarked;
