/**
 * The request package reads the resources that a job asks for, as a jobspec (RFC 25, RFC 14) or a shape (RFC 46), with
 * counts (RFC 45) and constraints (RFC 31). It depends on the graph, the resource set, idsets, hostlists and Jackson's tree,
 * and never on the state or anything outside this module. All values are immutable and may be used from any thread.
 */
@NullMarked
package io.muster.inventory.request;

import org.jspecify.annotations.NullMarked;
