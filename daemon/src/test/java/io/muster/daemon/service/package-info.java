/** Tests of sessions and of the requests that they accept. */
@NullMarked
package io.muster.daemon.service;

import org.jspecify.annotations.NullMarked;
