/**
 * The owner of the inventory's state, and the streams that follow it. Depends on protocol and journal; knows no sockets.
 * Everything here is made and used on the core thread alone.
 */
@NullMarked
package io.muster.daemon.core;

import org.jspecify.annotations.NullMarked;
