/**
 * What the tests of this module and of those above it share: the model of a scheduler, and a service manager's socket. This package may
 * depend on the inventory, on the protocol and on Netty, never on a daemon. A test may read what another thread receives.
 */
@NullMarked
package io.muster.protocol.testing;

import org.jspecify.annotations.NullMarked;
