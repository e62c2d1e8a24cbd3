package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.http.Refusal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

final class TurnsTest {
    private final Queue<Runnable> queue = new ArrayDeque<>();
    private final Turns turns = new Turns(queue::add);
    private final List<String> done = new ArrayList<>();

    private void fill(String who) {
        for (int i = 0; i < Turns.MOST_OF_ONE_USER; i++) {
            turns.run(who, () -> done.add(who));
        }
    }

    @Test
    void aUserWithTooManyWaitingRequestsIsRefusedAndOthersAreNot() {
        fill("alice");
        assertThatThrownBy(() -> turns.run("alice", () -> done.add("one too many")))
                .isInstanceOfSatisfying(
                        Refusal.class,
                        refusal -> assertThat(refusal.answer().status()).isEqualTo(503))
                .hasMessageContaining("64 requests of alice wait already");
        turns.run("bob", () -> done.add("bob"));
        queue.remove().run();
        turns.run("alice", () -> done.add("alice"));
        queue.forEach(Runnable::run);
        assertThat(done).hasSize(66).contains("bob").doesNotContain("one too many");
    }

    @Test
    void theRequestsOfAllUsersTogetherAreLimited() {
        for (int i = 0; i < 16; i++) {
            fill("user" + i);
        }
        assertThatThrownBy(() -> turns.run("another", () -> {})).hasMessageContaining("1024 requests wait already");
        queue.forEach(Runnable::run);
        turns.run("another", () -> {});
    }

    @Test
    void tasksThatTheThreadsRejectDoNotCount() {
        Turns stopped = new Turns(task -> {
            throw new RejectedExecutionException("stopped");
        });
        for (int i = 0; i <= Turns.MOST_OF_ONE_USER; i++) {
            assertThatThrownBy(() -> stopped.run("alice", () -> {})).isInstanceOf(RejectedExecutionException.class);
        }
    }
}
