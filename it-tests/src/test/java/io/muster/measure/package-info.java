/**
 * The measurements of {@code muster bench}: how long a daemon takes for the operations that schedulers and admins wait for, compared with
 * the least that the machine needs. Depends on the client and the command, and on no library of the tests, because the launcher compiles
 * this package alone (except for its tests). Starts daemons as separate processes. Runs on the main thread.
 */
@NullMarked
package io.muster.measure;

import org.jspecify.annotations.NullMarked;
