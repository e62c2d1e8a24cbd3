/**
 * The core package owns the state of the inventory and the streams that follow the state. It depends on the inventory,
 * protocol and ledger, and uses no sockets. Its objects are created and used on the core thread, unless a method says
 * otherwise.
 */
@NullMarked
package io.muster.daemon.core;

import org.jspecify.annotations.NullMarked;
