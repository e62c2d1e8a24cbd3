/**
 * The form of the command's output: tables, times, colours, templates. Depends on the JDK, the problem package and JSON trees, and reads no
 * clock, terminal or file. Classes are immutable or used by one thread.
 */
@NullMarked
package io.muster.daemon.cli.render;

import org.jspecify.annotations.NullMarked;
