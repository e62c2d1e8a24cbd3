package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.access.Rights;
import io.muster.daemon.core.Rig;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Users with a right who use as much as they can get: each is refused beyond a limit, and no other user is. */
class GreedyUserTest {
    private final Stage stage = new Stage(Rig.ofFour());
    private final List<Stage.Caller> greedy = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        greedy.forEach(caller -> caller.session.close());
        greedy.forEach(caller -> assertThat(caller.account.held()).isZero());
        stage.close();
    }

    private void connect(Rights rights, int connections) {
        for (int i = 0; i < connections; i++) {
            greedy.add(stage.join(rights));
        }
    }

    private long answers(String start) {
        return greedy.stream()
                .flatMap(caller -> caller.responses.stream())
                .filter(response -> Stage.text(response).startsWith(start))
                .count();
    }

    private static String waitup(int padding) {
        return "{\"up\":4,\"padding\":\"" + "x".repeat(padding) + "\"}";
    }

    @Test
    void waitingRequestsKeepNoPayloadAndAreLimitedForAllConnectionsOfAUser() {
        stage.rig.report("offline", "3");
        connect(Stage.guest(), 10);
        for (int i = 0; i < 128; i++) {
            greedy.get(i % 10).send("resource.monitor-waitup", waitup(1 << 20), 0);
        }
        assertThat(answers("EINVAL resource.monitor-waitup: the request has ")).isEqualTo(128);
        assertThat(greedy.get(0).account.held()).isZero();
        for (int i = 0; i < 5000; i++) {
            greedy.get(i % 10).send("resource.monitor-waitup", waitup(4000), 0);
        }
        assertThat(answers("EAGAIN guest has 4096 streams and waiting requests open already"))
                .isEqualTo(5000 - 4096);
        assertThat(greedy.get(0).account.held()).isEqualTo(4096L * (512 + "resource.monitor-waitup".length()));
        Stage.Caller other = stage.join(Stage.admin());
        assertThat(other.ask("resource.monitor-waitup", "{\"up\":4}")).isEqualTo("nothing");
        assertThat(other.ask("resource.drain", "{\"targets\":\"1\"}")).isEqualTo("ok");
        stage.rig.report("online", "3");
        stage.rig.settle();
        assertThat(answers("ok")).isEqualTo(4096);
        assertThat(other.received()).containsExactly("ok", "ok");
    }

    @Test
    void routesCount() {
        stage.rig.report("offline", "3");
        connect(Stage.guest(), 1);
        List<String> routes = Collections.nCopies(1024, "r".repeat(100));
        for (int tag = 1; tag <= 100; tag++) {
            greedy.get(0)
                    .session
                    .receive(new Request(
                            Header.flags(0),
                            routes,
                            "resource.monitor-waitup",
                            Bytes.text("{\"up\":4}"),
                            Request.NODEID_ANY,
                            tag));
        }
        int each = 512 + "resource.monitor-waitup".length() + 1024 * 164;
        assertThat(greedy.get(0).account.held()).isBetween((8L << 20) - each, 8L << 20);
        assertThat(answers("EAGAIN the requests and unread answers of guest take 8"))
                .isEqualTo(100 - (8 << 20) / each);
    }

    @Test
    void changesThatWaitForTheDiskCountWithTheirPayload() {
        stage.rig.holdDisk();
        connect(Stage.monitor(), 2);
        String reason = "{\"targets\":\"1\",\"holder\":\"monitor\",\"mode\":\"overwrite\",\"x\":\""
                + "x".repeat(200_000) + "\"}";
        for (int i = 0; i < 100; i++) {
            stage.accountNanos += TimeUnit.HOURS.toNanos(1);
            greedy.get(i % 2).send("resource.drain", reason, 0);
        }
        assertThat(answers("EAGAIN the requests and unread answers of mon take 8"))
                .isBetween(55L, 65L);
        stage.rig.release();
        stage.rig.settle();
    }

    /** What an abandoned request holds no longer counts, so it must be gone, although the request before it is still being served. */
    @Test
    void abandonedRequestsKeepNothing() {
        stage.answersHeld = true;
        for (int i = 0; i < 101; i++) {
            for (String topic : List.of("resource.find", "feasibility.check")) {
                Stage.Caller caller = stage.join(Stage.guest());
                greedy.add(caller);
                caller.send(topic, "{\"padding\":\"" + "x".repeat(500_000) + "\"}", 0);
                caller.session.close();
            }
        }
        assertThat(stage.counted)
                .as("all but the first, which has its turn")
                .filteredOn(each -> each.endsWith(" " + Errno.ECANCELED.value()))
                .hasSize(200);
        while (!stage.heldAnswers.isEmpty()) {
            stage.heldAnswers.remove(0).run();
            stage.rig.settle();
        }
        assertThat(stage.counted)
                .as("none is computed")
                .hasSize(202)
                .allMatch(each -> each.endsWith(" " + Errno.ECANCELED.value()));
    }

    @Test
    void onlyUsersWhoMayOnlyHoldHaveARateOfChanges() {
        connect(Stage.monitor(), 3);
        String change = "{\"targets\":\"1\",\"holder\":\"monitor\",\"mode\":\"overwrite\",\"reason\":\"";
        for (int i = 0; i < 1500; i++) {
            greedy.get(i % 3).send("resource.drain", change + i % 10 + "x".repeat(4000) + "\"}", 0);
        }
        stage.rig.settle();
        assertThat(answers("EAGAIN not done: mon, who lacks the right change, makes more than 50 changes"))
                .as("each counts as 4 KiB")
                .isEqualTo(1500 - 5000 / 4);
    }
}
