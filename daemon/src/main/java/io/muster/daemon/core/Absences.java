package io.muster.daemon.core;

import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.AcquisitionChanges;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The acquisitions whose owner has no connection now, and the timers that end them. */
public final class Absences {
    private static final Logger log = LoggerFactory.getLogger("acquire");
    private static final double RETRY_SECONDS = 1;

    private final Inventory inventory;
    private final ScheduledExecutorService core;
    private final Map<String, Timer> timers = new HashMap<>();

    Absences(Inventory inventory, ScheduledExecutorService core) {
        this.inventory = inventory;
        this.core = core;
    }

    private record Timer(double until, ScheduledFuture<?> running) {}

    /**
     * An acquisition that waits for its owner.
     *
     * @param until when the acquisition ends, in seconds since the epoch
     */
    public record Absence(Acquisition acquisition, double until) {}

    void begin(Acquisition acquisition) {
        String owner = acquisition.owner();
        end(owner);
        log.info("the acquisition of {} waits {} s for its owner", owner, acquisition.grace());
        arm(owner, acquisition.grace());
    }

    private void arm(String owner, double seconds) {
        ScheduledFuture<?> timer =
                core.schedule(() -> release(owner), (long) Math.ceil(seconds * 1e6), TimeUnit.MICROSECONDS);
        timers.put(owner, new Timer(inventory.now() + seconds, timer));
    }

    private void release(String owner) {
        Timer fired = timers.get(owner);
        AcquisitionChanges.Release release = new AcquisitionChanges.Release(owner, "the owner did not come back");
        inventory.submit(release, Principal.DAEMON, answer -> {
            if (answer instanceof Answer.Failed && fired != null && fired.equals(timers.get(owner))) {
                arm(owner, RETRY_SECONDS);
            }
        });
    }

    /** Stops the timer, because the owner is back or the acquisition has ended. */
    void end(String owner) {
        Timer timer = timers.remove(owner);
        if (timer != null) {
            timer.running.cancel(false);
        }
    }

    void endAll() {
        List.copyOf(timers.keySet()).forEach(this::end);
    }

    int size() {
        return timers.size();
    }

    @Nullable
    Absence of(String owner) {
        Timer timer = timers.get(owner);
        Acquisition acquisition = inventory.state().acquisitions().get(owner);
        return timer == null || acquisition == null ? null : new Absence(acquisition, timer.until);
    }

    /** Returns the acquisitions that wait for their owners, by owner. */
    public List<Absence> all() {
        List<Absence> all = new ArrayList<>();
        for (String owner : inventory.state().acquisitions().keySet()) {
            Absence absence = of(owner);
            if (absence != null) {
                all.add(absence);
            }
        }
        return all;
    }
}
