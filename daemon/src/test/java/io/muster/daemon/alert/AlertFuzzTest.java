package io.muster.daemon.alert;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.Arrays;

/** Each message is either refused with a location, or parsed to alerts whose fingerprints are valid in the name of a holder. */
class AlertFuzzTest {
    @FuzzTest(maxDuration = "30s")
    void messagesAreRefusedOrParsed(byte[] text) {
        ObjectNode json;
        try {
            json = Json.parse(Bytes.wrap(Arrays.copyOf(text, text.length + 1)));
        } catch (ProtocolException notJson) {
            return;
        }
        try {
            AlertMessage message = AlertMessage.parse(json);
            assertThat(message.alerts())
                    .allSatisfy(alert -> assertThat(alert.fingerprint()).matches("[0-9a-f]{1,31}"));
        } catch (RpcException e) {
            assertThat(e.sentence()).startsWith("resource.alerts: /");
        }
    }
}
