/**
 * Tests of listeners, connections and their memory.
 */
@NullMarked
package io.muster.daemon.net;

import org.jspecify.annotations.NullMarked;
