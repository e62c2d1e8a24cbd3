package io.muster.cli.journal;

import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.journal.JournalCopy;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.journal.disk.LockedException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster restore}. */
@Command(
        name = "restore",
        description = {
            "Put a backup into the state directory, and check it there.",
            "Stop the daemon before a restore. A state directory that is in use is left alone without --force. "
                    + "With --force, its state is moved to replaced.1 (or the next number) in the same directory, and can "
                    + "be restored from there.",
            "After an interrupted restore, no daemon starts until you repeat the restore with --force."
        },
        footer = {"  muster restore /backup/muster-1", "  muster restore --force /backup/muster-1"})
public final class Restore extends Verb {
    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    @Parameters(paramLabel = "DIR", description = "A directory that `muster backup` wrote.")
    private Path source = Path.of("");

    @Option(names = "--force", description = "Move the present state aside.")
    private boolean force;

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    public Restore(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        LocalDisk from = StateDirOptions.disk(source, "backup");
        Path target = place.path(console());
        if (Files.exists(target) && Files.isSameFile(source, target)) {
            throw new Failure(Exit.USAGE, source + " is the state directory itself");
        }
        boolean isNew = !Files.exists(target);
        LocalDisk to = LocalDisk.at(target);
        Copying.report(console(), json, from, to, Copying.run(console(), from, progress -> {
            try {
                return JournalCopy.restore(from, to, console().clock().instant(), force, progress);
            } catch (LockedException e) {
                throw new Failure(Exit.CONFLICT, String.valueOf(e.getMessage()), "stop the daemon first");
            } catch (FileAlreadyExistsException e) {
                throw new Failure(Exit.CONFLICT, to.where() + " holds a state already", "--force moves it aside");
            } catch (IOException e) {
                throw Copying.unfinished("restore", to, e, "try again, with --force");
            }
        }));
        if (isNew && Files.getAttribute(target, "unix:uid").equals(0)) {
            StateDirOptions.say(
                    console(),
                    target + " was created and belongs to root: if the daemon runs as another user, `chown -R USER "
                            + target + "`");
        }
        return Exit.OK;
    }
}
