/**
 * The daemon itself: builds its parts in order and closes them in reverse. Depends on all packages below it, and only the command line
 * depends on it.
 */
@NullMarked
package io.muster.daemon;

import org.jspecify.annotations.NullMarked;
