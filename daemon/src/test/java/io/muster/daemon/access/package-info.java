/** Tests of the identity of a peer and of its rights. */
@NullMarked
package io.muster.daemon.access;

import org.jspecify.annotations.NullMarked;
