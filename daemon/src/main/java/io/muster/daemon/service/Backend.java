package io.muster.daemon.service;

import io.muster.daemon.core.AcquireStreams;
import io.muster.daemon.core.JournalStreams;
import io.muster.daemon.core.Reporters;
import io.muster.daemon.core.Waiters;
import io.muster.protocol.wire.Credentials;

/**
 * The parts of the daemon that all sessions use to serve requests.
 *
 * @param sender credentials that responses carry: libflux drops a response without a role
 */
public record Backend(
        Credentials sender,
        Queries queries,
        Changes changes,
        AcquireStreams acquires,
        JournalStreams journals,
        Waiters waiters,
        Reporters reporters,
        FeasibilityChecks feasible,
        Searches searches,
        Structures structures,
        Histories histories,
        WebTokens web) {}
