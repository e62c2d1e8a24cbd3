package io.muster.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The keys that a row of the table names are those that the reader of the request reads. */
class OperationsTest {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** Operations whose payloads the daemon reads, where the tests of the daemon send wrong values. */
    private static final Set<String> READ_ELSEWHERE = Stream.concat(
                    Arrays.stream(Document.values()).map(Document::topic),
                    Stream.of(
                            "resource.find",
                            "feasibility.check",
                            "resource.alerts",
                            "attr.get",
                            "resource.monitor-waitup",
                            "resource.acquire",
                            "resource.journal"))
            .collect(Collectors.toSet());

    private static JsonNode value(RequestKey key) {
        return switch (key.type()) {
            case TEXT -> JSON.textNode(key.words().isEmpty() ? "1" : key.words().get(0));
            case FLAG -> JSON.booleanNode(true);
            case INTEGER -> JSON.numberNode(1);
            case NUMBER, TIME, DURATION -> JSON.numberNode(1.5);
            case OBJECT -> JSON.objectNode().put("a", "1");
            case LIST -> JSON.arrayNode().add("/cluster0");
        };
    }

    private static ObjectNode required(Operation<?, ?> operation) {
        ObjectNode payload = JSON.objectNode();
        operation.keys().stream().filter(RequestKey::required).forEach(key -> payload.set(key.name(), value(key)));
        if (operation.keys().contains(RequestKeys.SELECT)) {
            payload.put("targets", "1");
        }
        return payload;
    }

    private static String refusal(Operation<? super Connection, ?> operation, ObjectNode payload) {
        try {
            operation.serve(ChangeRequestTest.NOBODY, Json.encode(payload));
            return "";
        } catch (RpcException e) {
            return e.sentence();
        } catch (ProtocolException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void everyKeyIsReadAndAValueOfAnotherTypeIsRefusedWithItsPlace() {
        List<String> wrong = new ArrayList<>();
        for (Operation<? super Connection, ?> operation : Operations.all()) {
            String refused = READ_ELSEWHERE.contains(operation.topic()) ? "" : refusal(operation, required(operation));
            if (!refused.isEmpty()) {
                wrong.add(operation + " without optional keys: " + refused);
            }
            for (RequestKey key :
                    READ_ELSEWHERE.contains(operation.topic()) ? List.<RequestKey>of() : operation.keys()) {
                ObjectNode payload = required(operation);
                JsonNode other = key.type() == RequestKey.Type.LIST ? JSON.textNode("x") : JSON.arrayNode();
                String sentence = refusal(operation, payload.set(key.name(), other));
                if (!sentence.contains(key.name())) {
                    wrong.add(operation + " with a wrong " + key.name() + ": " + sentence);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyKeyOfARowHasAMeaningAndNoNameTwice() {
        for (Operation<?, ?> operation : Operations.all()) {
            assertThat(operation.keys())
                    .extracting(RequestKey::name)
                    .as("%s", operation)
                    .doesNotHaveDuplicates();
            assertThat(operation.keys()).extracting(RequestKey::meaning).allMatch(each -> each.endsWith("."));
        }
    }

    @Test
    void aClientFindsTheFormOfEveryChange() {
        assertThat(Operations.all().stream().map(Operation::form).filter(Objects::nonNull))
                .hasSameElementsAs(ChangeForm.ALL)
                .hasSize(ChangeForm.ALL.size());
    }
}
