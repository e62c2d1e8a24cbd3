/**
 * The hostlist package has ordered lists of host names in the form of RFC 29, stored as ranges. It depends on the problem
 * and idset packages only. Every public class is immutable and may be used on any thread.
 */
@NullMarked
package io.muster.inventory.hostlist;

import org.jspecify.annotations.NullMarked;
