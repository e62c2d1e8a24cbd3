/** Tests of the measurements, against a daemon in the same process. */
@NullMarked
package io.muster.daemon.cli.bench;

import org.jspecify.annotations.NullMarked;
