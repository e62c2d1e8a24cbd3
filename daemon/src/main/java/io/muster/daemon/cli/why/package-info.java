/**
 * The verb that explains hosts. Depends on console, query and render. Runs on the main thread.
 */
@NullMarked
package io.muster.daemon.cli.why;

import org.jspecify.annotations.NullMarked;
