package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.cast.ConcurrentAdmins;
import io.muster.it.harness.DaemonProcess;
import io.muster.testing.SeedSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the daemon with SIGKILL while it works, again and again with the same state directory. {@code -Dmuster.kills=1000} runs longer,
 * {@code -Dmuster.seed=42} chooses other changes and moments.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
@Tag("crash")
@Tag("once")
class CrashTest {
    private static final int KILLS = Integer.getInteger("muster.kills", 10);
    /** Number of kills after which the test compares the whole inventory, which must be unchanged. */
    private static final int WHOLE_EVERY = 10;

    private static final int SAID_EVERY = 50;
    private static final int FEW = 5;

    private static final String TORN = "the last write was cut short by a crash";
    private static final String SHORT_HISTORY =
            "history is deleted because its files are larger than muster.history-size";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private final ConcurrentAdmins admins = new ConcurrentAdmins();
    private int killedWhileStarting;
    private int killedBeforeReady;

    @Test
    void answeredChangesSurviveSigkillAndNoOtherChangesAppear() throws Exception {
        String given = System.getProperty("muster.seed", "");
        long seed = given.isEmpty() ? 1 : Long.parseLong(given);
        Random random = SeedSource.random(seed);
        for (int kill = 1; kill <= KILLS; kill++) {
            try {
                crash(random);
                if (kill % WHOLE_EVERY == 0 || kill == KILLS) {
                    killAtRest(random);
                    restartCleanly();
                }
                if (kill % SAID_EVERY == 0 || kill == KILLS) {
                    say(kill, seed);
                }
            } catch (Exception | AssertionError e) {
                String where = "kill " + kill + " of -Dmuster.seed=" + seed + ", state in " + directory;
                throw new AssertionError(where + ": " + e.getMessage(), e);
            }
        }
        assertThat(killedBeforeReady > 0 || killedWhileStarting < FEW)
                .as("some of %d kills while it started came before it was ready", killedWhileStarting)
                .isTrue();
    }

    /** Prints the progress, for a user who ends a long run early. */
    private void say(int kills, long seed) {
        System.out.println(
                kills + " kills (and " + killedBeforeReady + " before they were ready), seed " + seed + ": " + admins);
    }

    private DaemonProcess.Setup setup() {
        return DaemonProcess.Setup.in(
                directory, "snapshot-every = 100", "history-size = \"64KiB\"", ConcurrentAdmins.resources());
    }

    private void crash(Random random) throws Exception {
        try (DaemonProcess daemon = setup().start().expect(TORN, SHORT_HISTORY)) {
            admins.settle(daemon);
            admins.start(daemon, random);
            admins.awaitAnswers(random.nextInt(800));
            LockSupport.parkNanos(random.nextInt(3_000_000));
            admins.expectEnd();
            daemon.kill();
            admins.join();
        }
        admins.checkDirectory(setup().stateDir());
        if (random.nextInt(5) == 0) {
            killBeforeReady(random);
        }
    }

    /** Kills the daemon during recovery, which must survive crashes too. */
    private void killBeforeReady(Random random) throws Exception {
        try (DaemonProcess daemon = setup().spawn().expect(TORN, SHORT_HISTORY)) {
            daemon.output().await(" config "); // the first lines of the log; the journal is read next
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(100)));
            daemon.kill();
            killedWhileStarting++;
            killedBeforeReady += daemon.output().toString().contains(" ready ") ? 0 : 1;
        }
        admins.checkDirectory(setup().stateDir());
    }

    /** Kills the daemon when no answer is outstanding. The restart must recover all changes, and the scheduler must have been sent all. */
    private void killAtRest(Random random) throws Exception {
        ObjectNode before;
        try (DaemonProcess daemon = setup().start().expect(TORN, SHORT_HISTORY)) {
            admins.settle(daemon);
            admins.start(daemon, random);
            admins.awaitAnswers(random.nextInt(800));
            admins.finish();
            admins.awaitScheduler();
            before = lasting(daemon.ask("resource.state"));
            admins.expectEnd();
            daemon.kill();
            admins.join();
        }
        admins.checkDirectory(setup().stateDir());
        try (DaemonProcess daemon = setup().start().expect(TORN, SHORT_HISTORY)) {
            assertThat(lasting(daemon.ask("resource.state")))
                    .as("the inventory after a crash at rest")
                    .isEqualTo(before);
            admins.settle(daemon);
        }
    }

    /** Stops and starts the daemon, which must lose and add no change. */
    private void restartCleanly() throws Exception {
        ObjectNode before;
        try (DaemonProcess daemon = setup().start().expect(TORN, SHORT_HISTORY)) {
            admins.settle(daemon);
            before = lasting(daemon.ask("resource.state"));
        }
        admins.checkDirectory(setup().stateDir());
        try (DaemonProcess daemon = setup().start().expect(SHORT_HISTORY)) {
            assertThat(lasting(daemon.ask("resource.state")))
                    .as("the inventory after a clean restart")
                    .isEqualTo(before);
        }
    }

    /** The inventory without the keys that change with time. */
    private static ObjectNode lasting(ObjectNode inventory) {
        inventory.remove(List.of("seq", "time", "schedulers", "journal_bytes"));
        return inventory;
    }
}
