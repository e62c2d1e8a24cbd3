/**
 * Tests of what people are told about the past.
 */
@NullMarked
package io.muster.inventory.history;

import org.jspecify.annotations.NullMarked;
