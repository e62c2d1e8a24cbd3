package io.muster.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.protocol.acquire.First;
import io.muster.protocol.acquire.Next;
import io.muster.protocol.admin.FeasibilityRequest;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.admin.Get;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.admin.StateQuery;
import io.muster.protocol.admin.StatusAnswer;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Any payload of a request, answer or acquire response is either refused with a place, or read and written again unchanged.
 * {@code .ci/fuzz 1000000 PayloadFuzzTest} searches for exceptions.
 */
class PayloadFuzzTest {
    /** The readers of payloads that the daemon reads beside the core thread. */
    private static final Map<String, Function<Fields, ?>> BESIDE = new HashMap<>(Map.of(
            FindRequest.TOPIC,
            FindRequest::parse,
            FeasibilityRequest.TOPIC,
            in -> FeasibilityRequest.parse(in.json())));

    static {
        Arrays.stream(Document.values()).forEach(document -> BESIDE.put(document.topic(), StateQuery::parse));
    }

    private static final List<String> METHODS = List.of(
            "drain",
            "undrain",
            "exclude",
            "include",
            "shrink",
            "offline",
            "monitor-force-down",
            "property-add",
            "property-remove",
            "annotate",
            "expiration-update");

    @FuzzTest(maxDuration = "5m")
    void requestsAreRefusedOrReadWithoutLoss(byte[] text) throws Exception {
        ObjectNode json = json(text);
        if (json == null) {
            return;
        }
        for (String method : METHODS) {
            ChangeRequest request;
            try {
                request = ChangeRequestTest.parse(method, json);
            } catch (RpcException e) {
                assertThat(e.sentence()).isNotBlank();
                continue;
            }
            ChangeRequest.Call call = ChangeRequest.call(request.command(), request.dryRun());
            assertThat(call.topic()).isEqualTo("resource." + method);
            ChangeRequest again = ChangeRequestTest.parse(method, Json.parse(Json.encode(call.payload())));
            assertThat(ChangeRequest.call(again.command(), again.dryRun())).isEqualTo(call);
        }
    }

    @FuzzTest(maxDuration = "5m")
    void everyOperationRefusesOrServesAnyPayload(byte[] text) {
        for (Operation<? super Connection, ?> operation : Operations.all()) {
            try {
                read(operation, Bytes.wrap(text));
            } catch (RpcException e) {
                assertThat(e.errno()).isIn(Errno.EPROTO, Errno.EINVAL);
                assertThat(e.sentence()).isNotBlank();
            } catch (ProtocolException | MalformedException | InvalidException e) {
                assertThat(e).message().isNotBlank();
            }
        }
    }

    @FuzzTest(maxDuration = "5m")
    void everyOperationThatFluxCoreLacksRefusesAKeyThatItDoesNotHave(byte[] text) {
        ObjectNode json = json(text);
        if (json == null) {
            return;
        }
        json.put("no-such-key", 1);
        for (Operation<? super Connection, ?> operation : Operations.all()) {
            if (!operation.ignoresOtherKeys()) {
                assertThatThrownBy(() -> read(operation, Json.encode(json)))
                        .isInstanceOf(RpcException.class)
                        .hasMessageStartingWith(operation.topic() + ": /")
                        .hasMessageEndingWith(" is not a key of this request");
            }
        }
    }

    /** Reads a payload, also one that the daemon reads beside the core thread. */
    private static void read(Operation<? super Connection, ?> operation, Bytes payload) throws ProtocolException {
        operation.serve(ChangeRequestTest.NOBODY, payload);
        Function<Fields, ?> beside = BESIDE.get(operation.topic());
        if (beside != null) {
            var unused = beside.apply(operation.fields(payload));
        }
    }

    @FuzzTest(maxDuration = "5m")
    void otherRequestsAreRefusedOrReadWithoutLoss(byte[] text) throws Exception {
        ObjectNode json = json(text);
        if (json != null) {
            check(json, request -> Json.encode(ReloadRequest.parse(request).toJson()));
            check(json, request -> Json.encode(FeasibilityRequest.parse(request).toJson()));
        }
        try {
            Cancellation cancellation = Cancellation.parse(Bytes.wrap(text));
            assertThat(Cancellation.parse(cancellation.encode())).isEqualTo(cancellation);
        } catch (ProtocolException e) {
            assertThat(e).message().isNotBlank();
        }
    }

    @FuzzTest(maxDuration = "5m")
    void answersAreRefusedOrReadWithoutLoss(byte[] text) throws Exception {
        ObjectNode json = json(text);
        if (json != null) {
            checkStatus(json);
            check(json, answer -> Get.parse(answer).encode());
        }
    }

    @FuzzTest(maxDuration = "5m")
    void acquireResponsesAreRefusedOrReadWithoutLoss(byte[] text) throws Exception {
        ObjectNode json = json(text);
        if (json != null) {
            check(json, response -> Json.encode(First.parse(response).toJson()));
            check(json, response -> Json.encode(Next.parse(response).toJson()));
        }
    }

    /** Checks only the reader, because a {@link StatusAnswer} cannot be written: Muster encodes the payload from the inventory. */
    private static void checkStatus(ObjectNode json) {
        try {
            assertThat(StatusAnswer.parse(json).drain()).isNotNull();
        } catch (InvalidException e) {
            assertThat(e.problems()).isNotEmpty();
        }
    }

    private static void check(ObjectNode json, Function<ObjectNode, Bytes> reread) throws Exception {
        Bytes written;
        try {
            written = reread.apply(json);
        } catch (InvalidException e) {
            assertThat(e.problems()).isNotEmpty();
            return;
        } catch (RpcException e) {
            assertThat(e.errno()).isIn(Errno.EPROTO, Errno.EINVAL);
            return;
        }
        assertThat(reread.apply(Json.parse(written))).isEqualTo(written);
    }

    private static @Nullable ObjectNode json(byte[] text) {
        try {
            return Json.parse(Bytes.wrap(Arrays.copyOf(text, text.length + 1)));
        } catch (ProtocolException notJson) {
            return null;
        }
    }
}
