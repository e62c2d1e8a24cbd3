/**
 * Tests of what people are told about the present.
 */
@NullMarked
package io.muster.inventory.status;

import org.jspecify.annotations.NullMarked;
