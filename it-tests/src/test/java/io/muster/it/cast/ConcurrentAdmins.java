package io.muster.it.cast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.journal.JournalCheck;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Output;
import io.muster.protocol.admin.StatusAnswer;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.testing.SchedulerModel;
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
 * Four admins and a scheduler that work at the same time, with a record of their requests, responses and updates. After every fault and
 * restart, the state of the daemon must agree with this record.
 */
public final class ConcurrentAdmins {
    private static final int ADMINS = 4;
    private static final int RANKS_EACH = 16;

    private final List<AdminModel> models = new ArrayList<>();
    private final int[] numbers = new int[ADMINS];
    private @Nullable Shift shift;

    private long answered;
    private long unansweredKept;
    private long unansweredLost;
    private long updates;
    private long torn;

    /**
     * The clients at work now.
     *
     * @param mayEnd whether the daemon may end now, because the test ends it
     */
    record Shift(List<RandomAdmin> admins, FollowingScheduler scheduler, AtomicLong answers, AtomicBoolean mayEnd) {}

    public ConcurrentAdmins() {
        for (int i = 0; i < ADMINS; i++) {
            models.add(AdminModel.of(i, Idset.range(i * RANKS_EACH, (i + 1) * RANKS_EACH - 1)));
        }
    }

    /** The resources that the admins change, for a daemon's configuration. */
    public static String resources() {
        return DaemonProcess.Setup.nodes("node[0-" + (ADMINS * RANKS_EACH - 1) + "]");
    }

    // ---- at work

    public void start(DaemonProcess daemon, Random random) throws Exception {
        AtomicBoolean mayEnd = new AtomicBoolean();
        FollowingScheduler scheduler = new FollowingScheduler(daemon.connect(), mayEnd);
        Shift next = new Shift(new ArrayList<>(), scheduler, new AtomicLong(), mayEnd);
        for (int i = 0; i < ADMINS; i++) {
            Random own = new Random(random.nextLong());
            next.admins.add(new RandomAdmin(daemon.connect(), models.get(i), numbers[i], own, next));
        }
        shift = next;
        scheduler.start();
        scheduler.awaitAcquired();
        next.admins.forEach(Thread::start);
    }

    /** Waits until a number of changes has been answered; all clients must still be at work then. */
    public void awaitAnswers(int count) throws InterruptedException {
        Shift now = atWork();
        while (now.answers.get() < count && now.admins.stream().allMatch(Thread::isAlive)) {
            LockSupport.parkNanos(50_000);
        }
        for (RandomAdmin admin : now.admins) {
            assertThat(admin.failure())
                    .as("%s, while the daemon runs", admin.getName())
                    .isNull();
        }
        assertThat(now.scheduler.failure())
                .as("the scheduler, while the daemon runs")
                .isNull();
    }

    /** Permits the daemon to end at any moment from now on. */
    public void expectEnd() {
        atWork().mayEnd.set(true);
    }

    /** Stops the admins after their last answers. */
    public void finish() throws InterruptedException {
        atWork().admins.forEach(RandomAdmin::finish);
        joinAdmins();
    }

    /** Waits, after {@link #finish}, until the scheduler has been sent everything that the last answers confirmed. */
    public void awaitScheduler() {
        SchedulerModel scheduler = atWork().scheduler.knowledge();
        await("what the scheduler knows").atMost(Output.PATIENCE).untilAsserted(() -> {
            for (RandomAdmin admin : atWork().admins) {
                assertThat(admin.possible())
                        .as("what %s may have done", admin.getName())
                        .hasSize(1);
                AdminModel last = admin.possible().get(0);
                assertThat(last.knownBy(scheduler)).isEqualTo(last.knownIfOffered(scheduler.offered()));
            }
        });
    }

    /** Waits for the clients to end, once the daemon is gone. */
    public void join() throws InterruptedException {
        joinAdmins();
        FollowingScheduler scheduler = atWork().scheduler;
        scheduler.join();
        assertThat(scheduler.failure()).as("the scheduler").isNull();
    }

    private void joinAdmins() throws InterruptedException {
        for (RandomAdmin admin : atWork().admins) {
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
    public void checkDirectory(Path stateDir) throws IOException {
        JournalCheck.CheckResult report = JournalCheck.verify(LocalDisk.existing(stateDir), bytes -> {});
        assertThat(report.findings())
                .as("what journal verify finds in %s", stateDir)
                .noneMatch(f ->
                        f.severity() == JournalCheck.Severity.DAMAGE || f.severity() == JournalCheck.Severity.HISTORY);
        torn += report.findings().stream()
                .filter(f -> f.severity() == JournalCheck.Severity.TORN)
                .count();
    }

    /** Determines which of the possible states is the present one; the next shift begins with it. */
    public void settle(DaemonProcess daemon) throws IOException {
        try (FluxClient client = daemon.connect()) {
            StatusAnswer status = StatusAnswer.parse(client.rpc("resource.status", null));
            ResourceSet r = ResourceSet.parse(client.rpc("resource.get", null).path("R"));
            Idset up = Idset.EMPTY;
            for (int i = 0; i < ADMINS; i++) {
                settle(i, status, r);
                up = up.union(models.get(i).up());
            }
            SchedulerModel acquired = new SchedulerModel();
            acquired.receive(client.stream("resource.acquire", null).next());
            assertThat(acquired.up()).as("up, to whoever acquires now").isEqualTo(up);
            assertThat(client.rpc("resource.state", null).path("up").asText()).isEqualTo(up.toString());
        }
        updates += shift == null ? 0 : shift.scheduler.knowledge().responses() - 1;
        shift = null;
    }

    private void settle(int i, StatusAnswer status, ResourceSet r) {
        AdminModel.Observation observed = models.get(i).observed(status, r);
        Shift last = shift;
        if (last == null) {
            assertThat(observed)
                    .as("what nobody has changed")
                    .isEqualTo(models.get(i).expected());
            return;
        }
        RandomAdmin admin = last.admins.get(i);
        List<AdminModel.Observation> possible =
                admin.possible().stream().map(AdminModel::expected).toList();
        assertThat(possible)
                .as("%s: its %d answered changes and none that it did not send", admin.getName(), admin.answered())
                .contains(observed);
        int kept = possible.lastIndexOf(observed);
        checkKnowledge(last.scheduler.knowledge(), admin, admin.answered() + kept);
        answered += admin.answered();
        unansweredKept += kept;
        unansweredLost += possible.size() - 1 - kept;
        models.set(i, admin.possible().get(kept));
        numbers[i] = admin.next();
    }

    /** Checks that everything that a scheduler was sent is on disk and was recovered after the crash. */
    private static void checkKnowledge(SchedulerModel scheduler, RandomAdmin admin, int recovered) {
        AdminModel.Knowledge knowledge = admin.states().get(0).knownBy(scheduler);
        int earliest = 0;
        while (!admin.states().get(earliest).knownIfOffered(scheduler.offered()).equals(knowledge)) {
            earliest++;
            assertThat(earliest)
                    .as("what the scheduler knew of %s, %s, was never so", admin.getName(), knowledge)
                    .isLessThan(admin.states().size());
        }
        assertThat(earliest)
                .as("the scheduler was sent change %d of %s, which is lost", earliest, admin.getName())
                .isLessThanOrEqualTo(recovered);
    }

    @Override
    public String toString() {
        return answered + " changes answered and all kept; of those unanswered, " + unansweredKept + " kept and "
                + unansweredLost + " not; " + updates + " updates to the scheduler; " + torn + " torn tails";
    }
}
