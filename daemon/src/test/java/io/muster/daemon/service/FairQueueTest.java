package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Seeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

class FairQueueTest {
    /** Between two pieces of work of one user, each other user that has work and may begin has a turn. */
    @Seeds
    void usersTakeTurnsAndTheWorkOfEachIsDoneInOrder(Random random) {
        FairQueue<Integer, String> queue = new FairQueue<>();
        Map<Integer, Deque<String>> model = new TreeMap<>();
        Map<Integer, Integer> passedOver = new TreeMap<>();
        Set<Integer> blocked = new HashSet<>();
        int users = 1 + random.nextInt(5);
        for (int i = 0; i < 200; i++) {
            int user = random.nextInt(users);
            Deque<String> own = model.computeIfAbsent(user, each -> new ArrayDeque<>());
            int action = random.nextInt(8);
            if (action < 3) {
                String work = user + " " + i;
                queue.add(user, work);
                queue.add(user, work);
                own.add(work);
            } else if (action == 3) {
                List<String> all = new ArrayList<>(own);
                String gone = all.isEmpty() ? "none" : all.get(random.nextInt(all.size()));
                assertThat(queue.remove(user, gone)).isEqualTo(own.remove(gone));
                assertThat(queue.remove(user, gone)).isFalse();
                passedOver.put(user, own.isEmpty() ? 0 : passedOver.getOrDefault(user, 0));
            } else if (action == 4 && !blocked.remove(user)) {
                blocked.add(user);
            } else {
                begin(queue, model, passedOver, blocked, users);
            }
            assertThat(queue.of(user)).isEqualTo(own.size());
            assertThat(queue.isEmpty()).isEqualTo(model.values().stream().allMatch(Deque::isEmpty));
        }
        List<String> left = queue.removeAll();
        assertThat(left)
                .containsExactlyInAnyOrderElementsOf(model.values().stream()
                        .flatMap(Deque::stream)
                        .sorted(Comparator.naturalOrder())
                        .toList());
        assertThat(queue.isEmpty()).isTrue();
    }

    private static void begin(
            FairQueue<Integer, String> queue,
            Map<Integer, Deque<String>> model,
            Map<Integer, Integer> passedOver,
            Set<Integer> blocked,
            int users) {
        String work = queue.next(user -> !blocked.contains(user));
        if (work == null) {
            model.forEach((user, own) ->
                    assertThat(own.isEmpty() || blocked.contains(user)).isTrue());
            return;
        }
        int begun = Integer.parseInt(work.substring(0, work.indexOf(' ')));
        assertThat(blocked).doesNotContain(begun);
        assertThat(Objects.requireNonNull(model.get(begun)).remove()).isEqualTo(work);
        passedOver.put(begun, 0);
        model.forEach((user, own) -> {
            boolean waits = user != begun && !own.isEmpty() && !blocked.contains(user);
            int times = waits ? passedOver.merge(user, 1, Integer::sum) : passedOver.merge(user, 0, (a, b) -> 0);
            assertThat(times).isLessThan(users);
        });
    }
}
