/**
 * The harness of all tests of this module: daemons as separate processes, their logs, and peers that send any bytes. May use everything.
 * Runs on the threads of tests, with one more thread for each process's output.
 */
@NullMarked
package io.muster.it.harness;

import org.jspecify.annotations.NullMarked;
