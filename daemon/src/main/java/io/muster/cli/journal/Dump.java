package io.muster.cli.journal;

import io.muster.cli.ask.DiskEvents;
import io.muster.cli.ask.EventChoice;
import io.muster.cli.ask.EventFilter;
import io.muster.cli.ask.EventLines;
import io.muster.cli.ask.PeriodOptions;
import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Verb;
import io.muster.cli.terminal.Zone;
import io.muster.daemon.journal.JournalDump;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.inventory.history.Period;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster journal dump}. */
@Command(
        name = "dump",
        description = {
            "Print the journal on disk, history included, one JSON object per event.",
            "The daemon may run meanwhile. The command reports damage on standard error, continues after it, and "
                    + "ends with status 1."
        },
        footer = {
            "  muster journal dump --human",
            "  muster journal dump --since=2d --type=drain",
            "  muster journal dump --state-dir=backup --include=node7"
        })
public final class Dump extends Verb {
    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    @Mixin
    private final PeriodOptions period = new PeriodOptions();

    @Option(names = "--first", paramLabel = "SEQ", description = "Begin with the event of this sequence number.")
    private long first = 1;

    @Option(names = "--last", paramLabel = "SEQ", description = "End with the event of this sequence number.")
    private long last = Long.MAX_VALUE;

    @Mixin
    private final EventChoice choice = new EventChoice();

    public Dump(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        Period span = period.period(console());
        JournalDump.Range range = new JournalDump.Range(first, last, span.since(), span.until());
        EventFilter filter = choice.filter();
        LocalDisk disk = place.disk(console());
        StateDirOptions.say(console(), "events of " + disk.where());
        try (DiskEvents events = new DiskEvents(disk, range, console())) {
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

    private String text(JournalRecord record) {
        Zone zone = period.zone(console());
        return record.seq() + " " + zone.exact(record.timestamp()) + " "
                + EventLines.text(record.event(), console(), zone);
    }
}
