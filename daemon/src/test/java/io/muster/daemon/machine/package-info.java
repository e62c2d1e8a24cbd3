/** A machine on which one thread runs at a time, in virtual time and in an order that a seed decides. */
@NullMarked
package io.muster.daemon.machine;

import org.jspecify.annotations.NullMarked;
