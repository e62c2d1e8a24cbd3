/**
 * {@code muster bench}: how long a daemon takes for the operations that schedulers and admins wait for, compared with the least that the
 * machine needs. Depends on the client; starts daemons as separate processes. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.bench;

import org.jspecify.annotations.NullMarked;
