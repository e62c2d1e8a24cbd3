/**
 * Tests of the terminal.
 */
@NullMarked
package io.muster.cli.terminal;

import org.jspecify.annotations.NullMarked;
