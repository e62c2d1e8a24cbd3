/** Tests of what the package of the same name makes of values, without a daemon. */
@NullMarked
package io.muster.daemon.cli.past;

import org.jspecify.annotations.NullMarked;
