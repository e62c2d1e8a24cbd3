/**
 * Memory that all peers share and none may use up. Depends on nothing of ours. Everything runs on the core thread, but how much
 * is held any thread may ask.
 */
@NullMarked
package io.muster.daemon.server.budget;

import org.jspecify.annotations.NullMarked;
