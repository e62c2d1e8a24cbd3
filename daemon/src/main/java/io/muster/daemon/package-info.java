/**
 * The daemon itself: builds its parts in order and closes them in reverse. Depends on all packages below it, and only the command line
 * depends on it. Starts on the main thread, stops on the shutdown hook's thread, and creates the threads for all other work.
 */
@NullMarked
package io.muster.daemon;

import org.jspecify.annotations.NullMarked;
