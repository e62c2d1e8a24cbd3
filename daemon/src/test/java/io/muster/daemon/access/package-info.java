/**
 * Tests of who a peer is and what it may do.
 */
@NullMarked
package io.muster.daemon.access;

import org.jspecify.annotations.NullMarked;
