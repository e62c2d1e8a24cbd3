package io.muster.daemon.service;

import io.muster.daemon.core.AcquireStreams;
import io.muster.daemon.core.JournalStreams;
import io.muster.daemon.core.Waiters;

/** The parts of the daemon that all sessions use to serve requests. */
public record Backend(
        Queries queries,
        Changes changes,
        AcquireStreams acquires,
        JournalStreams journals,
        Waiters waiters,
        FeasibilityChecks feasible,
        Histories histories) {}
