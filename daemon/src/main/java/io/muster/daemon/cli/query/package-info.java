/** Verbs that query and change nothing. Depends on console and render. Runs on the main thread. */
@NullMarked
package io.muster.daemon.cli.query;

import org.jspecify.annotations.NullMarked;
