package io.muster.protocol.operation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.admin.AvailabilityQuery;
import io.muster.protocol.admin.PastQuery;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.admin.WebRequest;
import io.muster.protocol.admin.WhyQuery;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.ProtocolException;

/** Serves the operations that every door has. An object serves one request: it has the caller, and returns the answer. */
public interface Service {
    void change(ChangeRequest request);

    void reload(ReloadRequest request);

    void acceptClock();

    void web(WebRequest request);

    void status();

    void schedStatus();

    void get();

    void confirm();

    /** Answers with the vertices that are marked "down", for schedulers. */
    void marks();

    /** Answers with the differences between what schedulers were sent and what they believe. */
    void audit();

    void upgradeStatus();

    void stats();

    void attribute(ObjectNode request);

    void attributes();

    void config();

    /** @param unread a {@link io.muster.protocol.admin.FindRequest} */
    void find(Bytes unread);

    /** @param unread a {@link io.muster.protocol.admin.FeasibilityRequest} */
    void feasibility(Bytes unread);

    /** @param unread a {@link io.muster.protocol.admin.StateQuery} */
    void document(Document document, Bytes unread) throws ProtocolException;

    /** Answers with explanations of states. */
    void why(WhyQuery query);

    /** Answers with intervals of the past, or with their sums. */
    void past(PastQuery query);

    /** Answers with sums of how long hosts were available or out. */
    void availability(AvailabilityQuery query);

    /** Answers with the condition of the daemon, its schedulers, and the user that asks. */
    void service();

    /** Answers with the limits on what programs drain, and what they refused. */
    void brakes();

    /** Carries out the alerts of a message of an Alertmanager. */
    void alerts(ObjectNode message);
}
