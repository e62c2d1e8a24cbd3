/** Tests of functions on values in the package of the same name, without a daemon. */
@NullMarked
package io.muster.cli.past;

import org.jspecify.annotations.NullMarked;
