package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.muster.daemon.config.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class WarmUpTest {
    @TempDir
    private Path place;

    private static Environment environment(Path home) throws IOException {
        return new Environment(Map.of(), RunningDaemon.uid(), home, "testhost", 2);
    }

    /** Runs the warm-up on a thread whose log lines are dropped, as a start of the daemon does. */
    private int exercise(BooleanSupplier busy) throws Exception {
        WarmUp warmUp = new WarmUp(environment(place), busy);
        CompletableFuture<Integer> answered = new CompletableFuture<>();
        Thread thread = new Thread(warmUp.group(), () -> {
            try {
                answered.complete(warmUp.exercise(place));
            } catch (Exception e) {
                answered.completeExceptionally(e);
            }
        });
        thread.start();
        thread.join();
        return answered.get();
    }

    @Test
    void theWarmUpDaemonServesAndLeavesNoFilesAndNoLogLines() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        Set<Thread> others = Thread.getAllStackTraces().keySet(); // daemons of other tests may not have ended yet
        ListAppender<ILoggingEvent> lines = new ListAppender<>() {
            @Override
            protected void append(ILoggingEvent line) {
                if (!others.contains(Thread.currentThread())) {
                    super.append(line);
                }
            }
        };
        lines.start();
        root.addAppender(lines);
        try {
            assertThat(exercise(() -> false)).isPositive();
        } finally {
            root.detachAppender(lines);
        }
        assertThat(place).isEmptyDirectory();
        assertThat(lines.list).as("an operator sees nothing of it").isEmpty();
    }

    @Test
    void aBusyDaemonEndsTheWarmUpAfterOneRound() throws Exception {
        assertThat(exercise(() -> true)).as("answers of one round").isBetween(1, 10);
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void directoriesOfAKilledWarmUpAreRemovedAfterAMinute() throws Exception {
        Path old = Files.createDirectories(place.resolve("muster-warm-up-1/state"));
        Path young = Files.createDirectory(place.resolve("muster-warm-up-2"));
        Path other = Files.createDirectory(place.resolve("somebody-elses"));
        FileTime longAgo = FileTime.from(Instant.now().minusSeconds(61));
        Files.setLastModifiedTime(old.getParent(), longAgo);
        Files.setLastModifiedTime(other, longAgo);
        exercise(() -> true);
        assertThat(place).isDirectoryNotContaining(path -> path.equals(old.getParent()));
        assertThat(young).exists();
        assertThat(other).exists();
    }

    @Test
    void anUnwritableDirectoryIsAnError() throws Exception {
        WarmUp warmUp = new WarmUp(environment(place), () -> false);
        assertThatThrownBy(() -> warmUp.exercise(place.resolve("nowhere"))).isInstanceOf(IOException.class);
    }
}
