/**
 * The rset package has the verbs of {@code muster R}: they read RFC 20 resource sets from standard input and write to
 * standard output, with the options of {@code flux R}. The package depends on terminal and the inventory, and asks no
 * daemon. It runs on the main thread.
 */
@NullMarked
package io.muster.cli.rset;

import org.jspecify.annotations.NullMarked;
