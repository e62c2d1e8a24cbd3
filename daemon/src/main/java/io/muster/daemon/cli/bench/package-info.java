/**
 * {@code muster bench}: what a daemon takes for what schedulers and admins wait for, beside what the machine itself takes.
 * Depends on the client; starts daemons as processes of their own. Runs on the main thread.
 */
@NullMarked
package io.muster.daemon.cli.bench;

import org.jspecify.annotations.NullMarked;
