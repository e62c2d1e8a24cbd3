/**
 * The account package counts what each user costs the daemon or the relay, and refuses what is past a limit. It depends on the error
 * numbers of the protocol only: its callers name the users. An account may be used on any thread, except for its connections and
 * nested accounts, which belong to the thread that serves the connections.
 */
@NullMarked
package io.muster.daemon.account;

import org.jspecify.annotations.NullMarked;
