/**
 * The acquire package has the responses of the acquire stream: RFC 28's payloads, and the computation of an update from two
 * views of the inventory. It depends on the inventory and on wire. Its values are immutable and may be used on any thread.
 */
@NullMarked
package io.muster.protocol.acquire;

import org.jspecify.annotations.NullMarked;
