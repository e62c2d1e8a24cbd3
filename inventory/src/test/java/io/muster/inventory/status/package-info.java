/** Tests of the answers about the present. */
@NullMarked
package io.muster.inventory.status;

import org.jspecify.annotations.NullMarked;
