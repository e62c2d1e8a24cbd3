package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Pause;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.status.JobUsage;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Stack;
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
        while (wait != null && isAnyBehind(client)) {
            if (!timeout.isZero() && System.nanoTime() - start > timeout.toNanos()) {
                return false;
            }
            Pause.of(PAUSE_MILLIS);
        }
        return true;
    }

    private static boolean isAnyBehind(FluxClient client) throws IOException {
        ObjectNode question = JsonNodeFactory.instance.objectNode();
        for (JsonNode scheduler : StateDocument.ask(client, StateDocument.SERVICE, question)
                .json()
                .path("schedulers")) {
            if (scheduler.path("behind").asBoolean()
                    || scheduler.path("responses").asLong() == 0) {
                return true;
            }
        }
        return false;
    }

    boolean waitsForIdle() {
        return IDLE.equals(wait);
    }

    /**
     * Waits until no job uses any of the hosts of a change.
     *
     * @param hosts hostlist of all targets
     * @param limit null for no limit
     * @return the exit status
     */
    int awaitIdle(FluxClient client, String hosts, @Nullable Duration limit, Console console) throws IOException {
        long start = System.nanoTime();
        StateDocument now = status(client, hosts, null);
        double settled = now.now() + SETTLE_SECONDS;
        while (!JobUsage.areIdle(since(settled, now), ranks(now))) {
            if (limit != null && System.nanoTime() - start > limit.toNanos()) {
                List<String> busy = new ArrayList<>();
                status(client, hosts, "allocated,draining").groups().forEach(group -> busy.add(group.hosts()));
                console.complain(
                        busy.isEmpty()
                                ? "muster: the change is made, but nobody reports which hosts jobs use: is the bridge or "
                                        + "muster-flux running?"
                                : "muster: the change is made, but jobs still use " + String.join(",", busy));
                return Exit.TIMED_OUT;
            }
            Pause.of(IDLE_PAUSE_MILLIS);
            now = status(client, hosts, null);
        }
        return Exit.OK;
    }

    private static StateDocument status(FluxClient client, String hosts, @Nullable String states) throws IOException {
        ObjectNode question = JsonNodeFactory.instance.objectNode().put("include", hosts);
        return StateDocument.ask(
                client, StateDocument.STATUS, states == null ? question : question.put("states", states));
    }

    private static Idset ranks(StateDocument status) {
        return Idset.unionOf(status.groups().stream().map(group -> Idset.parse(group.text("ranks"))));
    }

    /** Returns the reports about jobs that were made at {@code time} or later. */
    private static List<JobUsage> since(double time, StateDocument status) {
        List<JobUsage> reports = new ArrayList<>();
        for (JsonNode report : status.json().path("usage")) {
            double made = StateDocument.time(report.path("time"));
            if (made >= time) {
                Idset ranks = Idset.parse(report.path("ranks").asText());
                Idset allocated = Idset.parse(report.path("allocated").asText());
                reports.add(new JobUsage(report.path("reporter").asText(), ranks, allocated, made));
            }
        }
        return reports;
    }

    int timedOut(Console console) {
        console.complain(
                "muster: the change is made, but not yet sent to every scheduler: `muster status --json` shows which "
                        + "one waits");
        return Exit.TIMED_OUT;
    }
}
