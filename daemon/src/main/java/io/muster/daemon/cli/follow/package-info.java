/**
 * Verbs that go on: what happens, as it happens. Depends on console and render. Runs on the main thread.
 */
@NullMarked
package io.muster.daemon.cli.follow;

import org.jspecify.annotations.NullMarked;
