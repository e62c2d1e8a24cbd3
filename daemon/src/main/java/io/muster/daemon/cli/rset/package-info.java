/**
 * {@code muster R}: RFC 20 resource sets from standard input to standard output, with the options of {@code flux R}. Depends on console and
 * on the inventory's rset; connects to no daemon. Runs on the main thread.
 */
@NullMarked
package io.muster.daemon.cli.rset;

import org.jspecify.annotations.NullMarked;
