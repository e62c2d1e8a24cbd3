/**
 * What schedulers are told: RFC 28's payloads, and how an update follows from two views of the inventory. Depends on the
 * inventory and on rpc. Immutable values; any thread.
 */
@NullMarked
package io.muster.protocol.acquire;

import org.jspecify.annotations.NullMarked;
