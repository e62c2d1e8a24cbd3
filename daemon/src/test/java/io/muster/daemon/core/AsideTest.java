package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class AsideTest {
    private final Deque<Runnable> beside = new ArrayDeque<>();
    private final Deque<Runnable> core = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private final Aside aside = new Aside(core::add, beside::add);

    private static Runnable bug() {
        throw new IllegalStateException("a bug");
    }

    @Test
    void workRunsOnTheOtherThreadAndItsResultIsHandledOnTheCoreThread() {
        aside.run(() -> () -> done.add("done"), done::add);
        assertThat(core).isEmpty();
        beside.remove().run();
        assertThat(done).isEmpty();
        core.remove().run();
        assertThat(done).containsExactly("done");
    }

    @Test
    void aBugInTheWorkIsAnsweredAndDoesNotEndTheThread() {
        aside.run(AsideTest::bug, done::add);
        beside.remove().run();
        core.remove().run();
        assertThat(done).containsExactly("a bug made the request fail; the log shows it");
    }

    @Test
    void aBugInTheActionIsAnsweredAndDoesNotEndTheCoreThread() {
        aside.run(() -> AsideTest::bug, done::add);
        beside.remove().run();
        core.remove().run();
        assertThat(done).containsExactly("a bug made the request fail; the log shows it");
    }

    @Test
    void eachRunsOtherTasksBetweenAnswersAndAnswersAfterABug() {
        aside.each(
                List.of("first", "second", "third").iterator(),
                asker -> {
                    done.add(asker);
                    core.add(() -> done.add("after " + asker));
                    bug();
                },
                (asker, sentence) -> done.add("failed " + asker));
        assertThat(done).containsExactly("first", "failed first");
        while (!core.isEmpty()) {
            core.remove().run();
        }
        assertThat(done)
                .containsExactly(
                        "first",
                        "failed first",
                        "after first",
                        "second",
                        "failed second",
                        "after second",
                        "third",
                        "failed third",
                        "after third");
    }

    @Test
    void aResultAfterTheEndOfTheCoreThreadIsDropped() {
        Aside ended = new Aside(
                task -> {
                    throw new RejectedExecutionException("ended");
                },
                beside::add);
        ended.run(() -> () -> done.add("done"), done::add);
        beside.remove().run();
        assertThat(done).isEmpty();
    }
}
