package io.muster.cli.journal;

import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.journal.JournalCopy;
import io.muster.daemon.journal.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster backup}. */
@Command(
        name = "backup",
        description = {
            "Copy the state directory, history included, and check the copy.",
            "The daemon may run during the backup. The copy has every change that the daemon answered before the "
                    + "command began. The daemon deletes no history until the copy is complete. No daemon starts from an "
                    + "interrupted copy, because such a copy is marked as unfinished. `muster restore` puts a backup back."
        },
        footer = {"  muster backup /backup/muster-1", "  muster backup --json /backup/muster-1"})
public final class Backup extends Verb {
    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    @Parameters(paramLabel = "DIR", description = "Directory for the copy. It must be empty or not exist.")
    private Path target = Path.of("");

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    public Backup(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        LocalDisk from = place.disk(console());
        refuseFull(target);
        refuseInside(Path.of(from.where()), target);
        LocalDisk to = LocalDisk.at(target);
        Copying.report(console(), json, from, to, Copying.run(console(), from, progress -> {
            try {
                return JournalCopy.backup(from, to, console().clock().instant(), progress);
            } catch (IOException e) {
                throw Copying.unfinished("backup", to, e, "delete that directory, and try again");
            }
        }));
        return Exit.OK;
    }

    private static void refuseInside(Path state, Path target) {
        if (target.toAbsolutePath()
                .normalize()
                .startsWith(state.toAbsolutePath().normalize())) {
            throw new Failure(Exit.USAGE, target + " is in the state directory", "name a directory outside " + state);
        }
    }

    private static void refuseFull(Path target) throws IOException {
        if (!Files.exists(target)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(target)) {
            if (files.iterator().hasNext()) {
                throw new Failure(
                        Exit.CONFLICT, target + " is not empty", "name a directory that is empty or does not exist");
            }
        }
    }
}
