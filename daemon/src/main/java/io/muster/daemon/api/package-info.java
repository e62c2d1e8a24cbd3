/**
 * The api package serves the HTTP API {@code /v1}: the table of routes, what each route answers, and the requests for
 * changes. It depends on service, core, access and account, as sessions of the wire protocol do, on token, which finds the
 * senders of requests, and on http, whose connections it answers; it uses no Netty type. Reads run on separate threads from the
 * immutable state, and changes run on the core thread.
 */
@NullMarked
package io.muster.daemon.api;

import org.jspecify.annotations.NullMarked;
