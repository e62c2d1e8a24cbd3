/**
 * The threads and the monotonic clock of the process. What runs behind the sockets uses nothing else to start threads, to wait and to
 * measure time, so a simulator can decide which thread runs, and when.
 */
@NullMarked
package io.muster.daemon.machine;

import org.jspecify.annotations.NullMarked;
