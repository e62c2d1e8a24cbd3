/** The command as people run it. */
@NullMarked
package io.muster.daemon.cli;

import org.jspecify.annotations.NullMarked;
