/**
 * Who a peer is, and what it may do: names of users and groups, grants, rights, and the budget for log lines about refused peers.
 * Depends on the configuration. Runs on the core thread, except that names are looked up on the worker thread.
 */
@NullMarked
package io.muster.daemon.access;

import org.jspecify.annotations.NullMarked;
