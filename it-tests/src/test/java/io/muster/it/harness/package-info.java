/**
 * Daemons as processes of their own, what they log, and peers that say what they like: what every test of this module stands on. It may
 * use everything. It runs on the threads of tests, and one more for each process's output.
 */
@NullMarked
package io.muster.it.harness;

import org.jspecify.annotations.NullMarked;
