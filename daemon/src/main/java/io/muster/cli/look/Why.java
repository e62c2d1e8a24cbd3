package io.muster.cli.look;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Explanation;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.protocol.admin.WhyQuery;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
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
        JsonNode next = document.replace("next", NullNode.getInstance());
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
            new Explanation(document).texts(console(), zone.zone(console())).forEach(console()::print);
        }
        if (moved) {
            console().complain("muster why: the inventory changed while the command read it in pages");
        }
        return Exit.OK;
    }

    private ObjectNode page(FluxClient client, String words, int after) throws IOException {
        return Explanation.ask(client, new WhyQuery(words, count, WhyQuery.MOST_HOSTS, after))
                .json();
    }
}
