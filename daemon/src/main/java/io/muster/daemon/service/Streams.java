package io.muster.daemon.service;

import io.muster.daemon.core.AcquireStreams;
import io.muster.daemon.core.JournalStreams;
import io.muster.daemon.core.Reporters;
import io.muster.daemon.core.Waiters;

/** The parts of the daemon that send any number of responses to a request. */
public record Streams(AcquireStreams acquires, JournalStreams journals, Waiters waiters, Reporters reporters) {}
