/**
 * Tests of the four axes of a rank.
 */
@NullMarked
package io.muster.inventory.axis;

import org.jspecify.annotations.NullMarked;
