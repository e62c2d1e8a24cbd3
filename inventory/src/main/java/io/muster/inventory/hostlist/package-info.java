/**
 * Ordered lists of host names in RFC 29 hostlist form, stored as ranges. This package depends on the problem and idset packages
 * only. Everything public here is immutable and may be used on any thread.
 */
@NullMarked
package io.muster.inventory.hostlist;

import org.jspecify.annotations.NullMarked;
