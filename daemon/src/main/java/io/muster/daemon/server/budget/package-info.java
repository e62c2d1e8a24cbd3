/**
 * What peers may cost: the memory that all peers share, the requests that wait, and how long a peer may stand still. Depends on
 * nothing of ours. Everything runs on the core thread, except that any thread may ask how much memory is held.
 */
@NullMarked
package io.muster.daemon.server.budget;

import org.jspecify.annotations.NullMarked;
