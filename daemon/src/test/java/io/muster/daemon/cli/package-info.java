/** Tests of the command as users run it. */
@NullMarked
package io.muster.daemon.cli;

import org.jspecify.annotations.NullMarked;
