/**
 * The service package serves the requests of peers: the table of topics, one session for each peer, queries, changes and
 * feasibility checks. It depends on core, access and the protocol, and knows no Netty type: responses are sent through an
 * {@link io.muster.daemon.service.Outbox}. It runs on the core thread, except that long responses and feasibility checks are
 * computed on other threads.
 */
@NullMarked
package io.muster.daemon.service;

import org.jspecify.annotations.NullMarked;
