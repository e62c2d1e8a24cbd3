/**
 * Tests of what verbs share when they ask a daemon.
 */
@NullMarked
package io.muster.cli.ask;

import org.jspecify.annotations.NullMarked;
