/**
 * The token package has the bearer tokens with which programs send requests over HTTP: the file in the state directory that
 * keeps their digests, and the daemon's view of this file. It depends on the configuration for rights, on access for
 * identities, on the disk of the journal and on the inventory's JSON. The lookup of a token runs on any thread, and the file
 * is read on the worker thread or by the command.
 */
@NullMarked
package io.muster.daemon.token;

import org.jspecify.annotations.NullMarked;
