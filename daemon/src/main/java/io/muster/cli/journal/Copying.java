package io.muster.cli.journal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Progress;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.config.SourceFile;
import io.muster.daemon.journal.JournalCopy;
import io.muster.daemon.journal.JournalDump;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LockedException;
import java.io.IOException;
import java.util.function.LongConsumer;

/** The code that {@code backup} and {@code restore} share. */
final class Copying {
    private Copying() {}

    interface Copy {
        JournalCopy.CopyResult run(LongConsumer progress) throws IOException;
    }

    static JournalCopy.CopyResult run(Console console, Disk from, Copy copy) throws IOException {
        try (JournalDump size = JournalDump.open(from, JournalDump.Range.ALL, damage -> {});
                Progress progress = new Progress(console, "copying", size.totalBytes())) {
            return copy.run(progress::at);
        }
    }

    static void report(Console console, boolean json, Disk from, Disk to, JournalCopy.CopyResult report) {
        if (json) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.put("schema_version", Verb.SCHEMA_VERSION).put("source", from.where());
            document.put("directory", to.where());
            document.put("last_seq", report.lastSeq()).put("segments", report.segments());
            document.put("bytes", report.bytes()).put("aside", report.aside());
            console.json(document);
            return;
        }
        console.println(to.where() + " holds every change of " + from.where() + " up to seq " + report.lastSeq()
                + ", in "
                + report.segments()
                + (report.segments() == 1 ? " segment" : " segments") + " (" + report.bytes() + " bytes); verified");
        if (!report.aside().isEmpty()) {
            console.println("the earlier state is in " + to.where() + "/" + report.aside());
        }
    }

    /**
     * Returns the failure to report for an exception.
     *
     * @param what backup or restore
     * @throws IOException the exception itself, if nothing was written to the target
     */
    static Failure unfinished(String what, Disk to, IOException e, String advice) throws IOException {
        if (e instanceof LockedException || !JournalCopy.isUnfinished(to)) {
            throw e;
        }
        return new Failure(
                Exit.ERROR,
                "the " + what + " to " + to.where() + " has not finished: " + SourceFile.sentence(e),
                advice);
    }
}
