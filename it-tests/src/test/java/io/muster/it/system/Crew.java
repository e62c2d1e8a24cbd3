package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.journal.JournalCheck;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Output;
import io.muster.protocol.admin.Status;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Four admins and a scheduler at work, and what they know. Whatever happens to the daemon, its state must afterwards agree with the
 * requests that were sent, the responses and the updates.
 */
final class Crew {
    private static final int ADMINS = 4;
    private static final int RANKS_EACH = 16;

    private final List<Slice> slices = new ArrayList<>();
    private final int[] numbers = new int[ADMINS];
    private @Nullable Shift shift;

    private long answered;
    private long unansweredThere;
    private long unansweredLost;
    private long updates;
    private long torn;

    /**
     * The clients at work now.
     *
     * @param mayEnd whether the daemon may end now, because the test ends it
     */
    record Shift(List<Admin> admins, Scheduler scheduler, AtomicLong answers, AtomicBoolean mayEnd) {}

    Crew() {
        for (int i = 0; i < ADMINS; i++) {
            slices.add(Slice.of(Idset.range(i * RANKS_EACH, (i + 1) * RANKS_EACH - 1)));
        }
    }

    /** The resources on which the crew works, for a daemon's configuration. */
    static String resources() {
        return DaemonProcess.Setup.nodes("node[0-" + (ADMINS * RANKS_EACH - 1) + "]");
    }

    // ---- at work

    void start(DaemonProcess daemon, Random random) throws Exception {
        AtomicBoolean mayEnd = new AtomicBoolean();
        Scheduler scheduler = new Scheduler(daemon.connect(), mayEnd);
        Shift next = new Shift(new ArrayList<>(), scheduler, new AtomicLong(), mayEnd);
        for (int i = 0; i < ADMINS; i++) {
            Random own = new Random(random.nextLong());
            next.admins.add(new Admin("a" + i, daemon.connect(), slices.get(i), numbers[i], own, next));
        }
        shift = next;
        scheduler.start();
        scheduler.awaitAcquired();
        next.admins.forEach(Thread::start);
    }

    /** Waits until a number of changes has been answered; all clients must still be at work then. */
    void awaitAnswers(int count) throws InterruptedException {
        Shift now = atWork();
        while (now.answers.get() < count && now.admins.stream().allMatch(Thread::isAlive)) {
            LockSupport.parkNanos(50_000);
        }
        for (Admin admin : now.admins) {
            assertThat(admin.failure())
                    .as("%s, while the daemon is there", admin.getName())
                    .isNull();
        }
        assertThat(now.scheduler.failure())
                .as("the scheduler, while the daemon is there")
                .isNull();
    }

    /** Permits the daemon to end at any moment from now on. */
    void expectEnd() {
        atWork().mayEnd.set(true);
    }

    /** Stops the admins after their last answers. */
    void finish() throws InterruptedException {
        atWork().admins.forEach(Admin::finish);
        joinAdmins();
    }

    /** Waits, after {@link #finish}, until the scheduler has been sent everything that the last answers confirmed. */
    void awaitTold() {
        Shift now = atWork();
        Follower follower = now.scheduler.follower();
        await("what the scheduler knows").atMost(Output.PATIENCE).untilAsserted(() -> {
            for (int i = 0; i < ADMINS; i++) {
                Admin admin = now.admins.get(i);
                Slice last = admin.states().get(admin.states().size() - 1);
                assertThat(admin.possible())
                        .as("what %s may have done", admin.getName())
                        .hasSize(1);
                assertThat(follower.of(last, admin.getName() + "p", i == 0)).isEqualTo(last.seenBy(follower.offered()));
            }
        });
    }

    /** Waits for the clients to end, once the daemon is gone. */
    void join() throws InterruptedException {
        joinAdmins();
        Scheduler scheduler = atWork().scheduler;
        scheduler.join();
        assertThat(scheduler.failure()).as("what the scheduler was told").isNull();
    }

    private void joinAdmins() throws InterruptedException {
        for (Admin admin : atWork().admins) {
            admin.join();
            assertThat(admin.failure()).as("%s was refused", admin.getName()).isNull();
        }
    }

    private Shift atWork() {
        Shift now = shift;
        assertThat(now).as("somebody at work").isNotNull();
        return Objects.requireNonNull(now);
    }

    // ---- afterwards

    /** Checks the directory that a killed daemon left, as {@code muster journal verify} does. */
    void checkDirectory(Path stateDir) throws IOException {
        JournalCheck.CheckResult report = JournalCheck.verify(LocalDisk.existing(stateDir), bytes -> {});
        assertThat(report.findings())
                .as("what journal verify finds in %s", stateDir)
                .noneMatch(f ->
                        f.severity() == JournalCheck.Severity.DAMAGE || f.severity() == JournalCheck.Severity.HISTORY);
        torn += report.findings().stream()
                .filter(f -> f.severity() == JournalCheck.Severity.TORN)
                .count();
    }

    /** Finds out which of the possible states is the present one; the next shift begins with it. */
    void settle(DaemonProcess daemon) throws IOException {
        List<Slice> found = observe(daemon);
        Shift last = shift;
        shift = null;
        if (last == null) {
            assertThat(found).as("what nobody has changed").isEqualTo(slices);
            return;
        }
        Follower follower = last.scheduler.follower();
        updates += follower.updates();
        for (int i = 0; i < ADMINS; i++) {
            Admin admin = last.admins.get(i);
            assertThat(admin.possible())
                    .as("%s: its %d answered changes and none that it did not send", admin.getName(), admin.answered())
                    .contains(found.get(i));
            int there = admin.possible().lastIndexOf(found.get(i));
            checkSeen(follower, admin, i, admin.answered() + there);
            answered += admin.answered();
            unansweredThere += there;
            unansweredLost += admin.possible().size() - 1 - there;
            slices.set(i, found.get(i));
            numbers[i] = admin.next();
        }
    }

    /** Checks that everything that a scheduler was sent is on disk and was recovered after the crash. */
    private static void checkSeen(Follower follower, Admin admin, int i, int recovered) {
        Slice.Seen seen = follower.of(admin.states().get(0), admin.getName() + "p", i == 0);
        int earliest = 0;
        while (!admin.states().get(earliest).seenBy(follower.offered()).equals(seen)) {
            earliest++;
            assertThat(earliest)
                    .as("what the scheduler knew of %s, %s, was never so", admin.getName(), seen)
                    .isLessThan(admin.states().size());
        }
        assertThat(earliest)
                .as("the scheduler was told of change %d of %s, which is lost", earliest, admin.getName())
                .isLessThanOrEqualTo(recovered);
    }

    /** The slices as admins see them; a scheduler that acquires now must see the same. */
    private List<Slice> observe(DaemonProcess daemon) throws IOException {
        List<Slice> found = new ArrayList<>();
        Idset up = Idset.EMPTY;
        try (FluxClient client = daemon.connect()) {
            Status status = Status.parse(client.rpc("resource.status", null));
            ResourceSet r = ResourceSet.parse(client.rpc("resource.get", null).path("R"));
            for (int i = 0; i < ADMINS; i++) {
                Slice slice = Slice.observed(slices.get(i).ranks(), "a" + i + "p", i == 0, status, r);
                found.add(slice);
                up = up.union(slice.up());
            }
            Follower acquired =
                    new Follower(client.stream("resource.acquire", null).next());
            assertThat(acquired.up()).as("up, to whoever acquires now").isEqualTo(up);
            assertThat(client.rpc("resource.inventory", null).path("up").asText())
                    .isEqualTo(up.toString());
        }
        return found;
    }

    @Override
    public String toString() {
        return answered + " changes answered and all there; of those unanswered, " + unansweredThere + " there and "
                + unansweredLost + " not; " + updates + " updates to the scheduler; " + torn + " torn tails";
    }
}
