/**
 * The owner of the inventory's state, and the streams that follow the state. Depends on the inventory, protocol and ledger, and knows no
 * sockets. Everything here is created and used on the core thread, unless a method says otherwise.
 */
@NullMarked
package io.muster.daemon.core;

import org.jspecify.annotations.NullMarked;
