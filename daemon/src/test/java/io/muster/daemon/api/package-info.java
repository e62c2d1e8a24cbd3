/** Tests of the HTTP API, on real sockets of a whole daemon. */
@NullMarked
package io.muster.daemon.api;

import org.jspecify.annotations.NullMarked;
