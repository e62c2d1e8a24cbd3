/** Tests of the classes that read certificates and keys. */
@NullMarked
package io.muster.protocol.tls;

import org.jspecify.annotations.NullMarked;
