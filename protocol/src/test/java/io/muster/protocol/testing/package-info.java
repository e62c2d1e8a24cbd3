/**
 * What the tests of this module and of those above it share: the model of a scheduler. This package may depend on the inventory and on the
 * protocol, never on a daemon. A test may read a model while another thread feeds it.
 */
@NullMarked
package io.muster.protocol.testing;

import org.jspecify.annotations.NullMarked;
