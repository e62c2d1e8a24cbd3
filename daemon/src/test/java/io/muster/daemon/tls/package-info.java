/** Tests of the classes that read and check certificates. */
@NullMarked
package io.muster.daemon.tls;

import org.jspecify.annotations.NullMarked;
