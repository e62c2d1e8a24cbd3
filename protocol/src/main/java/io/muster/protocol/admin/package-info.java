/**
 * The admin package has the payloads of all methods except the acquire stream: requests that change the inventory,
 * questions, and the responses. It depends on the inventory and on rpc. Its values are immutable and may be used on any
 * thread.
 */
@NullMarked
package io.muster.protocol.admin;

import org.jspecify.annotations.NullMarked;
