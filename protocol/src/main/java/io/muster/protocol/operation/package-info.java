/**
 * The operation package has the table of operations: what clients may ask of the daemon, with which right, by which topic and by which
 * path of HTTP, and which method of the service serves it. It depends on the payloads. Its values are immutable and may be used on any
 * thread.
 */
@NullMarked
package io.muster.protocol.operation;

import org.jspecify.annotations.NullMarked;
