package io.muster.cli.follow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventFilter;
import io.muster.cli.ask.EventLines;
import io.muster.cli.ask.IncludedTargets;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.When;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster eventlog}. */
@Command(
        name = "eventlog",
        description = {
            "Print the journal's events (RFC 44) that the daemon remembers, as flux resource eventlog does.",
            "With --follow or --wait, the command continues with new events until --timeout, if given, ends it with "
                    + "status 124.",
            "`muster watch` prints only new events, and `muster journal dump` prints all events on disk."
        },
        footer = {"  muster eventlog --human", "  muster eventlog --wait=drain --match-context=reason=fan"})
public final class Eventlog extends Following {
    @Option(
            names = {"-f", "--format"},
            paramLabel = "FORMAT",
            description = "Print text or json. Default: text.")
    private String format = "text";

    @Option(
            names = {"-T", "--time-format"},
            paramLabel = "FORMAT",
            description = "Print times in text as raw, iso, offset (from the first event) or human. Default: raw.")
    private String timeFormat = "raw";

    @Option(
            names = {"-H", "--human"},
            description = "The same as -f text -T human.")
    private boolean human;

    @Option(
            names = {"-L", "--color"},
            paramLabel = "WHEN",
            arity = "0..1",
            hidden = true,
            description = "Accepted for scripts that call flux: Muster prints no colors here.")
    void color(String when) {}

    @Option(
            names = {"-F", "--follow"},
            description = "Continue with new events.")
    private boolean follow;

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "NAME",
            description = "Continue until an event of this name.")
    private @Nullable String last;

    @Option(
            names = {"-m", "--match-context"},
            paramLabel = "KEY=VALUE",
            description =
                    "With --wait, continue until an event whose context has this value. May be repeated; then all must "
                            + "match.")
    private List<String> matches = List.of();

    @Option(names = "-t", paramLabel = "DURATION", description = "The same as --timeout.")
    private @Nullable String limit;

    @Option(
            names = {"-i", "--include"},
            paramLabel = "TARGETS",
            converter = IncludedTargets.class,
            description = "Print only events about these ranks, hosts or @PROPERTY.")
    private @Nullable String include;

    @Mixin
    private final ZoneOption zone = new ZoneOption();

    private EventLines lines = new EventLines("raw", console().zone());
    private List<Context> wanted = List.of();

    public Eventlog(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        if (!format.equals("text") && !format.equals("json")) {
            throw new Failure(Exit.USAGE, "--format: " + format + " is not one of text and json");
        }
        if (!EventLines.FORMATS.contains(timeFormat)) {
            throw new Failure(
                    Exit.USAGE,
                    "--time-format: " + timeFormat + " is not one of " + String.join(", ", EventLines.FORMATS));
        }
        wanted = matches.stream().map(Context::parse).toList();
        lines = new EventLines(human ? "human" : timeFormat, zone.zone(console()));
        EventFilter filter = include == null ? EventFilter.ALL : EventFilter.ALL.about(client, include);
        Duration time = limit == null ? givenTimeout() : When.duration(limit);
        return follow(client, filter::matches, true, follow || last != null, time);
    }

    @Override
    boolean print(ObjectNode event) {
        if ((json() || format.equals("json")) && !human) {
            printDocument(event);
        } else {
            console().println(lines.of(event));
        }
        return event.path("name").asText().equals(last) && isMeant(event.path("context"));
    }

    private boolean isMeant(JsonNode context) {
        return wanted.stream().allMatch(match -> match.isIn(context));
    }
}
