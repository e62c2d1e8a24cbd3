/**
 * The daemon itself: builds its parts in order and closes them in reverse. Depends on everything else here, and nothing
 * depends on it but the command line.
 */
@NullMarked
package io.muster.daemon;

import org.jspecify.annotations.NullMarked;
