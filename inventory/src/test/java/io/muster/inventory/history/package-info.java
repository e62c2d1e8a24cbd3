/** Tests of the answers about the past. */
@NullMarked
package io.muster.inventory.history;

import org.jspecify.annotations.NullMarked;
