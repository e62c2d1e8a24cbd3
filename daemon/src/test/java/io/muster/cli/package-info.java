/** Tests of the command as users run it. */
@NullMarked
package io.muster.cli;

import org.jspecify.annotations.NullMarked;
