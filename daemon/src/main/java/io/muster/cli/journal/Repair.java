package io.muster.cli.journal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Progress;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.journal.JournalDump;
import io.muster.daemon.journal.JournalRepair;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.journal.disk.LockedException;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster journal repair}. */
@Command(
        name = "repair",
        description = {
            "Repair a damaged state directory so that a daemon can start from it, and keep every event that can be kept.",
            "The command first copies what it cuts off or replaces to quarantine/. Stop the daemon before a "
                    + "repair."
        },
        footer = {"  muster journal repair --dry-run", "  muster journal repair"})
public final class Repair extends Verb {
    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    @Option(names = "--dry-run", description = "Change nothing. Print what a repair would do.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    public Repair(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        LocalDisk disk = place.disk(console());
        JournalRepair.RepairResult report = repair(disk);
        if (json) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.put("schema_version", SCHEMA_VERSION).put("state_dir", disk.where());
            document.put("dry_run", dryRun);
            document.put("lost", report.lost()).put("last_seq", report.lastSeq());
            ArrayNode actions = document.putArray("actions");
            report.actions().forEach(actions::add);
            console().json(document);
            return Exit.OK;
        }
        report.actions().forEach(action -> console().println((dryRun ? "would " : "") + action));
        console()
                .println(
                        report.actions().isEmpty()
                                ? disk.where() + ": nothing to repair: the journal ends with seq " + report.lastSeq()
                                : disk.where() + ": the journal " + (dryRun ? "would end" : "ends") + " with seq "
                                        + report.lastSeq()
                                        + "; "
                                        + report.lost() + (report.lost() == 1 ? " intact event" : " intact events")
                                        + (dryRun ? " would be lost" : " lost"));
        return Exit.OK;
    }

    private JournalRepair.RepairResult repair(LocalDisk disk) throws IOException {
        try (JournalDump size = JournalDump.open(disk, JournalDump.Range.ALL, damage -> {});
                Progress progress = new Progress(console(), "repairing", size.totalBytes())) {
            return JournalRepair.repair(disk, console().clock(), dryRun, progress::at);
        } catch (LockedException e) {
            throw new Failure(Exit.CONFLICT, String.valueOf(e.getMessage()), "stop the daemon first");
        }
    }
}
