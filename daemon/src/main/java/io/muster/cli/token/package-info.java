/**
 * The token package has the verbs that create, list and revoke the tokens of the HTTP API: {@code token create}, {@code token
 * list}, {@code token revoke} and {@code web}. It depends on terminal, ask, the tokens of the daemon and the disk of the journal. It runs
 * on the main thread.
 */
@NullMarked
package io.muster.cli.token;

import org.jspecify.annotations.NullMarked;
