/** Tests of the measurements, against a daemon in the same process. */
@NullMarked
package io.muster.cli.bench;

import org.jspecify.annotations.NullMarked;
