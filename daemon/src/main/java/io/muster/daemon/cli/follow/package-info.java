/** Verbs that keep running and print events as they happen. Depends on console and render. Runs on the main thread. */
@NullMarked
package io.muster.daemon.cli.follow;

import org.jspecify.annotations.NullMarked;
