/**
 * Helpers for the tests of this module and of the modules above it: the model of a scheduler, the socket of a service manager, and
 * certificates. This package may depend on the inventory, on the protocol and on Netty, never on a daemon. Tests may read received
 * messages on another thread than the one that receives them.
 */
@NullMarked
package io.muster.protocol.testing;

import org.jspecify.annotations.NullMarked;
