package io.muster.daemon.service;

import io.muster.daemon.alert.Receiver;
import io.muster.protocol.wire.Credentials;

/**
 * The parts of the daemon that serve requests.
 *
 * @param sender credentials that responses carry: libflux drops a response without a role
 */
public record Backend(
        Credentials sender, Answers answers, Streams streams, Changes changes, Receiver alerts, WebTokens web) {
    /** The parts that answer questions. */
    public record Answers(
            Queries queries,
            Documents documents,
            Explanations why,
            PastDocuments past,
            DaemonDocument daemon,
            Calculations calculations) {}

    /** The parts whose answers take long: they compute, or ask a scheduler. */
    public record Calculations(
            FeasibilityChecks feasible, Searches searches, Audits audits, Consequences consequences) {}

    SessionMeters meters() {
        return answers.queries().meters();
    }
}
