/**
 * The payloads of everything but the acquire stream: the verbs that change the inventory and the answers about it.
 * Depends on the inventory and on rpc. Immutable values; any thread.
 */
@NullMarked
package io.muster.protocol.admin;

import org.jspecify.annotations.NullMarked;
