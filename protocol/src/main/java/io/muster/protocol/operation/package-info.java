/** The operation package has the rights that users need for what they may ask of the daemon. It depends on nothing. */
@NullMarked
package io.muster.protocol.operation;

import org.jspecify.annotations.NullMarked;
