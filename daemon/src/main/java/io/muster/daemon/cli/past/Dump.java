package io.muster.daemon.cli.past;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.EventChoice;
import io.muster.daemon.cli.console.EventFilter;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Verb;
import io.muster.daemon.cli.render.EventText;
import io.muster.daemon.cli.render.Times;
import io.muster.daemon.journal.JournalDump;
import io.muster.daemon.journal.JournalRecord;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster journal dump}. */
@Command(
        name = "dump",
        description = "Print the journal as it stands on disk, history included, a JSON line for each event.",
        footer = {"", "Works while the daemon runs. Damage is said on standard error, passed over, and gives status 1."
        })
public final class Dump extends Verb {
    @Mixin
    private final Place place = new Place();

    @Mixin
    private final Period period = new Period();

    @Option(names = "--first", paramLabel = "SEQ", description = "Begin with this event.")
    private long first = 1;

    @Option(names = "--last", paramLabel = "SEQ", description = "End with this one.")
    private long last = Long.MAX_VALUE;

    @Mixin
    private final EventChoice choice = new EventChoice();

    public Dump(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        Period.Span span = period.span(console().now());
        JournalDump.Range range = new JournalDump.Range(first, last, span.since(), span.until());
        EventFilter filter = choice.filter();
        try (DiskEvents events = new DiskEvents(place.disk(), range, console())) {
            for (JournalRecord record = events.nextRecord(); record != null; record = events.nextRecord()) {
                if (filter.matches(record.event())) {
                    print(record);
                }
            }
            return events.isDamaged() ? Exit.ERROR : Exit.OK;
        }
    }

    private void print(JournalRecord record) {
        if (choice.human()) {
            console().println(text(record));
        } else {
            console().json(record.json());
        }
    }

    private static String text(JournalRecord record) {
        return record.seq() + " " + Times.rfc3339(record.timestamp()) + " " + EventText.of(record.event());
    }
}
