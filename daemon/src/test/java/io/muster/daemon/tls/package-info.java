/**
 * Tests of what the daemon reads of certificates.
 */
@NullMarked
package io.muster.daemon.tls;

import org.jspecify.annotations.NullMarked;
