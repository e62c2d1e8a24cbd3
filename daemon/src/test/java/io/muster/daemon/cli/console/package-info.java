/** Tests of what the package of the same name makes of values, without a daemon. */
@NullMarked
package io.muster.daemon.cli.console;

import org.jspecify.annotations.NullMarked;
