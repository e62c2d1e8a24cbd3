package io.muster.cli.look;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Printable;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code muster audit}. */
@Command(
        name = "audit",
        description = {
            "Compare what each scheduler was sent with what it believes: hosts that are up and down, hosts that it does not"
                    + " know, marks on cores and GPUs, properties, jobs that began on drained hosts and jobs on lost hosts.",
            "The exit status is 1 if there is a difference, else 0. Nothing is changed. The bridge asks the scheduler, which"
                    + " schedules nothing while it answers; then it is not asked again for ten times as long. A difference"
                    + " counts if two answers in succession have it. docs/flux.md says what to do about differences."
        },
        footer = {"  muster audit", "  muster audit --json | jq '.schedulers[].differences[] | {hosts, sentence}'"})
public final class Audit extends ServerVerb {
    public Audit(Console console) {
        super(console);
    }

    /** Schedulers are connected to the leader, which a standby names. */
    @Override
    protected int run(FluxClient client) throws IOException {
        return atLeader(client, this::audit);
    }

    private int audit(FluxClient client) throws IOException {
        ObjectNode answer = client.rpc("resource.audit", null);
        if (json()) {
            console().json(answer);
        } else {
            if (answer.path("schedulers").isEmpty()) {
                console().println("no scheduler has acquired the resources");
            }
            answer.path("schedulers").forEach(this::print);
        }
        return answer.path("ndifferences").asInt() == 0 ? Exit.OK : Exit.ERROR;
    }

    private void print(JsonNode scheduler) {
        String name = scheduler.path("owner").asText("");
        line((name.isEmpty() ? "a scheduler" : name) + " of "
                + scheduler.path("user").asText() + " was sent "
                + scheduler.path("sent_nnodes").asInt() + " hosts, "
                + scheduler.path("sent_nnodes_up").asInt() + " of them up"
                + (scheduler.path("behind").asBoolean() ? "; it has not read the last changes" : ""));
        if (!scheduler.path("can_be_asked").asBoolean()) {
            line("  it cannot be asked what it believes: no bridge reports under its name");
            return;
        }
        if (scheduler.path("waits").asBoolean()) {
            line("  it was asked at " + scheduler.path("asked").asText()
                    + " and has not answered: what it believes now is not known");
        }
        if (!scheduler.path("error").isNull()) {
            line("  the last question failed: " + scheduler.path("error").asText());
        }
        if (!scheduler.path("answered").isNull()) {
            line("  it answered at " + scheduler.path("answered").asText() + " after "
                    + seconds(scheduler, "seconds") + ", and the answer took " + seconds(scheduler, "cost")
                    + " of its time" + (scheduler.path("differences").isEmpty() ? ": no difference" : ":"));
        }
        for (JsonNode each : scheduler.path("differences")) {
            line("  " + each.path("hosts").asText() + ": it "
                    + each.path("sentence").asText() + ", since "
                    + each.path("since").asText());
        }
    }

    private static String seconds(JsonNode scheduler, String key) {
        return String.format(Locale.ROOT, "%.3f s", scheduler.path(key).asDouble());
    }

    private void line(String text) {
        console().println(Printable.of(text));
    }
}
