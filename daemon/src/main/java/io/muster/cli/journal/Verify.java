package io.muster.cli.journal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Progress;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.journal.JournalCheck;
import io.muster.daemon.journal.JournalDump;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.inventory.problem.Text;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster journal verify}. */
@Command(
        name = "verify",
        description = {
            "Read the whole state directory and report every problem. This changes nothing.",
            "The exit status is 0 if a daemon can start from the directory, else 1."
        },
        footer = {"  muster journal verify", "  muster journal verify --state-dir=backup --json"})
public final class Verify extends Verb {
    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    public Verify(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        LocalDisk disk = place.disk(console());
        JournalCheck.CheckResult report = verify(disk);
        if (json) {
            console().json(json(disk, report));
        } else {
            report.findings().forEach(finding -> console().println(finding.toString()));
            console()
                    .println(disk.where() + ": " + Text.count(report.events(), "event")
                            + (report.events() == 0 ? "" : ", seq " + report.firstSeq() + " to " + report.lastSeq())
                            + ", in " + Text.count(report.segments(), "segment")
                            + (report.startable()
                                    ? "; a daemon can start from it"
                                    : "; damaged: `muster journal repair`"));
        }
        return report.startable() ? Exit.OK : Exit.ERROR;
    }

    private JournalCheck.CheckResult verify(LocalDisk disk) throws IOException {
        try (JournalDump size = JournalDump.open(disk, JournalDump.Range.ALL, damage -> {});
                Progress progress = new Progress(console(), "verifying", size.totalBytes())) {
            return JournalCheck.verify(disk, progress::at);
        }
    }

    private static ObjectNode json(LocalDisk disk, JournalCheck.CheckResult report) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", SCHEMA_VERSION).put("state_dir", disk.where());
        json.put("startable", report.startable()).put("segments", report.segments());
        json.put("events", report.events()).put("first_seq", report.firstSeq());
        json.put("last_seq", report.lastSeq()).put("snapshot_seq", report.snapshotSeq());
        ArrayNode findings = json.putArray("findings");
        for (JournalCheck.Finding finding : report.findings()) {
            findings.addObject()
                    .put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
                    .put("file", finding.file())
                    .put("line", finding.line())
                    .put("offset", finding.offset())
                    .put("sentence", finding.sentence());
        }
        return json;
    }
}
