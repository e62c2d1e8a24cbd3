/**
 * Seeded property tests: {@link io.muster.testing.Seeds} and generators of values, for the tests of every module. This package
 * may depend on the values of the inventory and on JUnit, never on a daemon. Everything here runs on the thread of the test
 * that calls it.
 */
@NullMarked
package io.muster.testing;

import org.jspecify.annotations.NullMarked;
