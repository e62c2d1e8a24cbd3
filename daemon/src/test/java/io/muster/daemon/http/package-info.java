/**
 * Tests of the HTTP endpoint.
 */
@NullMarked
package io.muster.daemon.http;

import org.jspecify.annotations.NullMarked;
