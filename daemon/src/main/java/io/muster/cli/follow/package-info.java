/**
 * Verbs that run until they are interrupted and print what happens. Depends on terminal and ask. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.follow;

import org.jspecify.annotations.NullMarked;
