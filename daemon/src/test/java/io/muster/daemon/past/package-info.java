/** Tests of answers about the past against journals with snapshots, restarts and deleted history. */
@NullMarked
package io.muster.daemon.past;

import org.jspecify.annotations.NullMarked;
