package io.muster.daemon.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.alert.AlertMessage;
import io.muster.daemon.alert.Receiver;
import io.muster.daemon.http.Answer;
import io.muster.daemon.http.Refusal;
import io.muster.protocol.operation.Right;
import io.muster.protocol.rpc.Errno;

/** The request that an Alertmanager sends. */
final class Alerts {
    private static final int OK = 200;

    private Alerts() {}

    static void receive(Api api, Call call) {
        AlertMessage message = AlertMessage.parse(Api.body(call));
        api.onCore(call, () -> {
            if (api.alerts().settings().holder().isEmpty()) {
                throw new Refusal(404, "alerts are off: the configuration has no [alerts] with a holder");
            } else if (!api.admissions().mayChangeByHttp(call.rights())) {
                throw new Refusal(403, Admissions.ADMIN_SOCKET_ONLY, Errno.EPERM.name());
            }
            if (!call.rights().allow(Right.CHANGE)) {
                call.payer().change(call.exchange().ask().body().length());
            }
            api.alerts()
                    .receive(message, call.rights().principal(), report -> api.guard(call, () -> answer(call, report)));
        });
    }

    private static void answer(Call call, Receiver.Report report) {
        if (report.status() != OK) {
            throw new Refusal(report.status(), report.detail());
        }
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("schema_version", Situation.SCHEMA_VERSION);
        document.setAll(report.toJson());
        call.exchange().answer(Answer.of(OK, Answer.JSON, Views.encode(document)));
    }
}
