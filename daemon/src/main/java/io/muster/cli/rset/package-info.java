/**
 * {@code muster R}: RFC 20 resource sets from standard input to standard output, with the options of {@code flux R}. Depends on
 * terminal and the inventory, and asks no daemon. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.rset;

import org.jspecify.annotations.NullMarked;
