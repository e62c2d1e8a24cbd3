package io.muster.cli.look;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventLines;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.status.WhyText;
import io.muster.protocol.admin.WhyQuery;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster why}. */
@Command(
        name = "why",
        description =
                "Explain the state of hosts: every axis and hold, tags and marks, the last events, and what schedulers"
                        + " were sent. A path, or a name that no host has, shows the notes on a vertex of the resource"
                        + " graph.",
        footer = {"  muster why node7", "  muster why --count=20 node[7-9]", "  muster why /cluster0/node7/gpu3"})
public final class Why extends ReadVerb {
    @Parameters(
            arity = "1..*",
            paramLabel = "HOST",
            description = "Ranks, hosts, @PROPERTY, @{EXPR}, or paths or names of vertices. - reads them from standard"
                    + " input.")
    private List<String> targets = List.of();

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            description = "Show this many of the last events, at most 100. Default: 5.")
    private int count = WhyQuery.USUAL_EVENTS;

    @Mixin
    private final ZoneOption zone = new ZoneOption();

    public Why(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        if (count < 0 || count > WhyQuery.MOST_EVENTS) {
            throw new Failure(Exit.USAGE, "--count: " + count + " is not from 0 to " + WhyQuery.MOST_EVENTS);
        }
        String words = String.join(",", TargetNames.read(console(), targets));
        ObjectNode document = page(client, words, -1);
        JsonNode next = document.remove("next");
        boolean moved = false;
        while (next.isNumber()) {
            ObjectNode page = page(client, words, next.asInt());
            moved |= !page.path("seq").equals(document.path("seq"));
            document.withArray("hosts").addAll(page.withArray("hosts"));
            document.withArray("vertices").addAll(page.withArray("vertices"));
            next = page.path("next");
        }
        if (json()) {
            console().json(document);
        } else {
            print(document);
        }
        if (moved) {
            console().complain("muster why: the inventory changed while the command read it in pages");
        }
        return Exit.OK;
    }

    private ObjectNode page(FluxClient client, String words, int after) throws IOException {
        try {
            return client.rpc(WhyQuery.TOPIC, new WhyQuery(words, count, WhyQuery.MOST_HOSTS, after).toJson());
        } catch (RpcException e) {
            if (e.errno().equals(Errno.ENOENT)) {
                throw new Failure(Exit.NO_TARGET, e.sentence());
            }
            throw e.errno().equals(Errno.EINVAL) ? new Failure(Exit.USAGE, e.sentence()) : e;
        }
    }

    private void print(ObjectNode document) {
        double now = Instant.parse(document.path("time").asText()).toEpochMilli() / 1e3;
        String silence = document.path("events_refused").asText("");
        for (String key : List.of("hosts", "vertices")) {
            for (JsonNode account : document.path(key)) {
                ArrayNode events = account.withArray("events");
                for (int i = 0; i < events.size(); i++) {
                    events.set(i, EventLines.fitting((ObjectNode) events.get(i), console()));
                }
                console().print(WhyText.of(account, now, silence, zone.zone(console())::second));
            }
        }
    }
}
