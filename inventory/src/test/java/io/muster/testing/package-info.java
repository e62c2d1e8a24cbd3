/**
 * Code that the tests of all modules share: seeded property tests with {@link io.muster.testing.Seeds}, generators of values,
 * and {@link io.muster.testing.NaiveState}, the model of the rules. This package may depend on the values of the inventory and
 * on JUnit, never on a daemon. Everything here runs on the thread of the test that calls it.
 */
@NullMarked
package io.muster.testing;

import org.jspecify.annotations.NullMarked;
