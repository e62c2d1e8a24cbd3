package io.muster.cli.change;

import io.muster.cli.ask.Overview;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Pause;
import io.muster.inventory.status.Scheduler;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.time.Duration;
import picocli.CommandLine.Option;

/**
 * The options of every {@link Change}: {@code --dry-run} only shows the change, and {@code --wait} waits until all
 * schedulers have been sent the change.
 */
public final class ChangeOptions {
    private static final long PAUSE_MILLIS = 50;

    @Option(
            names = "--dry-run",
            description = "Change nothing. Show what would change, and the update that each scheduler would be sent.")
    private boolean dryRun;

    @Option(
            names = "--wait",
            description =
                    "Wait until every scheduler has been sent the change, or end with status 124 after --timeout. The "
                            + "change is on disk before the command returns, also without --wait.")
    private boolean wait;

    boolean dryRun() {
        return dryRun;
    }

    /**
     * Waits, if {@code --wait} is given, until all schedulers have been sent the change, and asks the daemon every 50 ms
     * whether they have.
     *
     * @param timeout zero for no limit
     * @return false if the timeout ends first
     */
    boolean await(FluxClient client, Duration timeout) throws IOException {
        long start = System.nanoTime();
        while (wait && isAnyBehind(Overview.ask(client))) {
            if (!timeout.isZero() && System.nanoTime() - start > timeout.toNanos()) {
                return false;
            }
            Pause.of(PAUSE_MILLIS);
        }
        return true;
    }

    private static boolean isAnyBehind(Overview standing) {
        for (Scheduler scheduler : standing.schedulers()) {
            if (scheduler.behind()) {
                return true;
            }
        }
        return false;
    }

    int timedOut(Console console) {
        console.complain(
                "muster: the change is made, but not yet sent to every scheduler: `muster status --json` shows which "
                        + "one waits");
        return Exit.TIMED_OUT;
    }
}
