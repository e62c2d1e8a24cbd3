/**
 * The access package determines the identity and the rights of a peer: names of users and groups, grants, rights, and the
 * budget for log lines about refused peers. It depends on the configuration, on core for tasks on other threads, and on the
 * wire package for credentials. It runs on the core thread, except that the threads {@code names} and {@code services} look
 * up names.
 */
@NullMarked
package io.muster.daemon.access;

import org.jspecify.annotations.NullMarked;
