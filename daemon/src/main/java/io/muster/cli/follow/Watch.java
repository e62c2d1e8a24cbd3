package io.muster.cli.follow;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventChoice;
import io.muster.cli.ask.EventFeed;
import io.muster.cli.ask.EventFilter;
import io.muster.cli.ask.EventLines;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.When;
import io.muster.cli.terminal.Zone;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster watch}. */
@Command(
        name = "watch",
        description = {
            "Print events as they happen: the journal's events (RFC 44), one JSON object per line.",
            "Each event has its sequence number, seq. --since=seq:SEQ goes on after that event, so that a program "
                    + "misses nothing and reads nothing twice.",
            "An event named truncate means that events are missing: the daemon no longer remembers the events before "
                    + "the sequence number that truncate gives as first. `muster journal dump` reads those from disk."
        },
        footer = {
            "  muster watch --since=4h --type=drain,undrain",
            "  muster watch --since=seq:1204",
            "  muster watch --wait=undrain --include=node7 --timeout=2h"
        })
public final class Watch extends Following {
    private static final String SEQ = "seq:";

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Begin with the events since this time, or with seq:SEQ after the event of this sequence number;"
                            + " all begins with the first event that the daemon remembers. 4h means 4 hours ago, and \"tue 16:00\" the last Tuesday at that time. Forms: "
                            + When.FORMS + ".")
    private @Nullable String since;

    @Mixin
    private final ZoneOption zone = new ZoneOption();

    @Mixin
    private final EventChoice choice = new EventChoice();

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            description = "Stop after this many events.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "NAME",
            description = "Stop after an event of this name, or with status 124 after --timeout.")
    private @Nullable String last;

    private long printed;

    public Watch(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        double from = since == null || since.equals("all") || isNumber() ? 0 : zone.past(since, console());
        EventFilter chosen = choice.filter(client).between(from, Double.MAX_VALUE);
        // A gap may hide any event of its time.
        EventFilter gap = EventFilter.ALL.named(List.of("truncate")).between(from, Double.MAX_VALUE);
        return follow(
                client, event -> gap.matches(event) || chosen.matches(event), since != null, true, givenTimeout());
    }

    @Override
    EventFeed open(FluxClient client) throws IOException {
        return EventFeed.follow(
                client, isNumber() ? number(String.valueOf(since).substring(SEQ.length())) : 0);
    }

    private boolean isNumber() {
        return since != null && since.startsWith(SEQ);
    }

    private static long number(String text) {
        try {
            long number = Long.parseLong(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The sentence below describes the expected form.
        }
        throw new Failure(
                Exit.USAGE, "--since: \"" + SEQ + text + "\" is not a sequence number", "write it as in seq:1204");
    }

    @Override
    boolean print(ObjectNode event) {
        if (isNumber() && !event.has("seq") && !event.path("context").has("first")) {
            throw new Failure(
                    Exit.ERROR,
                    "the server does not number its events, so that it cannot go on after one of them",
                    "give a time with --since");
        }
        if (choice.human()) {
            Zone shown = zone.zone(console());
            console()
                    .println(shown.exact(event.path("timestamp").asDouble()) + " "
                            + EventLines.text(event, console(), shown));
        } else {
            printDocument(event);
        }
        printed++;
        return printed >= count || event.path("name").asText().equals(last);
    }
}
