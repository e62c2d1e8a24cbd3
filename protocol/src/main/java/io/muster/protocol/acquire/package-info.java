/**
 * The responses to schedulers: RFC 28's payloads, and how an update is computed from two views of the inventory. This package depends on
 * the inventory and on wire. Its values are immutable and may be used on any thread.
 */
@NullMarked
package io.muster.protocol.acquire;

import org.jspecify.annotations.NullMarked;
