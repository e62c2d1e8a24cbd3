/**
 * What a peer may ask: the table of topics, one session for each peer, queries, changes and feasibility checks. Depends on core, access
 * and the protocol, and knows no Netty type: answers leave through an {@link io.muster.daemon.service.Outbox}. Runs on the core thread,
 * except that long answers and feasibility checks are computed on other threads.
 */
@NullMarked
package io.muster.daemon.service;

import org.jspecify.annotations.NullMarked;
