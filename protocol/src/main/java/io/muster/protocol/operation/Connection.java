package io.muster.protocol.operation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.state.ReportChanges;
import io.muster.protocol.admin.AuditAnswer;
import io.muster.protocol.admin.Introduction;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.wire.Bytes;

/** Serves the operations that only a connection of the wire has: streams, and what concerns the connection itself. */
public interface Connection extends Service {
    /** @param unread an {@link io.muster.protocol.acquire.Owner}, or nothing */
    void acquire(Bytes unread);

    void mute();

    /** @param unread a {@link io.muster.protocol.admin.JournalRequest}, or nothing */
    void follow(Bytes unread);

    void report(ReportChanges.Register reporter);

    void use(ReportRequest.Usage usage);

    void believe(AuditAnswer answer);

    void cancel(Cancellation cancellation);

    void disconnect();

    void waitUp(ObjectNode request);

    void introduce(Introduction user);

    void ping(ObjectNode request);

    void log(Bytes text);
}
