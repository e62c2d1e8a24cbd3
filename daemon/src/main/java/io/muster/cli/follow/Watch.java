package io.muster.cli.follow;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventChoice;
import io.muster.cli.ask.EventFilter;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.When;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.status.EventText;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster watch}. */
@Command(
        name = "watch",
        description = {
            "Print events as they happen: the journal's events (RFC 44), one JSON object per line.",
            "An event named truncate means that the daemon no longer remembers the events before it. `muster "
                    + "journal dump` reads those from disk."
        },
        footer = {
            "  muster watch --human",
            "  muster watch --since=4h --type=drain,undrain",
            "  muster watch --wait=undrain --include=node7 --timeout=2h"
        })
public final class Watch extends Following {
    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Begin with the events since this time; all begins with the first event that the daemon"
                    + " remembers. 4h means 4 hours ago, and \"tue 16:00\" the last Tuesday at that time. Forms: "
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
        return follow(client, filter(client), since != null, true, givenTimeout());
    }

    private EventFilter filter(FluxClient client) throws IOException {
        boolean all = since == null || since.equals("all");
        double from = all ? 0 : zone.past(String.valueOf(since), console());
        return choice.filter(client).between(from, Double.MAX_VALUE);
    }

    @Override
    boolean print(ObjectNode event) {
        if (choice.human()) {
            Zone shown = zone.zone(console());
            console()
                    .println(
                            shown.exact(event.path("timestamp").asDouble()) + " " + EventText.of(event, shown::second));
        } else {
            printDocument(event);
        }
        printed++;
        return printed >= count || event.path("name").asText().equals(last);
    }
}
