package io.muster.cli.change;

import io.muster.cli.ask.Overview;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Pause;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.Scheduler;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Stack;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/**
 * The options of every {@link Change}: {@code --dry-run} only shows the change, and {@code --wait} waits until all
 * schedulers have been sent the change, or until no job uses the hosts any more.
 */
public final class ChangeOptions {
    private static final long PAUSE_MILLIS = 50;
    private static final long IDLE_PAUSE_MILLIS = 500;
    /** Longer than a reporter takes to notice a job that began just before the schedulers were sent the change. */
    private static final double SETTLE_SECONDS = 2;

    private static final String IDLE = "idle";

    @Option(
            names = "--dry-run",
            description = "Change nothing. Show what would change, and the update that each scheduler would be sent.")
    private boolean dryRun;

    @Option(
            names = "--wait",
            arity = "0..1",
            paramLabel = "STATE",
            parameterConsumer = Until.class,
            description =
                    "Wait until every scheduler has been sent the change, or end with status 124 after --timeout. The "
                            + "change is durable before the command returns, also without --wait. With --wait=idle, wait until no "
                            + "job uses the hosts any more; then there is no limit unless --timeout is given.")
    private @Nullable String wait;

    /** Takes the word after the option only if it is the one value that the option has, and not a target. */
    static final class Until implements IParameterConsumer {
        @Override
        public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec verb) {
            boolean idle = !words.isEmpty() && words.peek().equals(IDLE);
            option.setValue(idle ? words.pop() : "");
        }
    }

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
        while (wait != null && isAnyBehind(Overview.ask(client))) {
            if (!timeout.isZero() && System.nanoTime() - start > timeout.toNanos()) {
                return false;
            }
            Pause.of(PAUSE_MILLIS);
        }
        return true;
    }

    private static boolean isAnyBehind(Overview standing) {
        for (Scheduler scheduler : standing.schedulers()) {
            if (scheduler.behind() || scheduler.responses() == 0) {
                return true;
            }
        }
        return false;
    }

    boolean waitsForIdle() {
        return IDLE.equals(wait);
    }

    /** Returns the reports about jobs that were made at {@code time} or later. */
    private static List<JobUsage> since(double time, Overview now) {
        return now.usage().stream().filter(usage -> usage.time() >= time).toList();
    }

    /**
     * Waits until no job uses any of the ranks.
     *
     * @param limit null for no limit
     * @return the exit status
     */
    int awaitIdle(FluxClient client, Function<Overview, Idset> targets, @Nullable Duration limit, Console console)
            throws IOException {
        long start = System.nanoTime();
        Overview now = Overview.ask(client);
        double settled = now.time() + SETTLE_SECONDS;
        while (!JobUsage.areIdle(since(settled, now), targets.apply(now))) {
            if (limit != null && System.nanoTime() - start > limit.toNanos()) {
                Idset busy = targets.apply(now).intersect(JobUsage.allocated(now.usage()));
                console.complain(
                        busy.isEmpty()
                                ? "muster: the change is made, but nobody reports which hosts jobs use: is the bridge or "
                                        + "muster-flux running?"
                                : "muster: the change is made, but jobs still use "
                                        + now.resources().hostsOf(busy));
                return Exit.TIMED_OUT;
            }
            Pause.of(IDLE_PAUSE_MILLIS);
            now = Overview.ask(client);
        }
        return Exit.OK;
    }

    int timedOut(Console console) {
        console.complain(
                "muster: the change is made, but not yet sent to every scheduler: `muster status --json` shows which "
                        + "one waits");
        return Exit.TIMED_OUT;
    }
}
