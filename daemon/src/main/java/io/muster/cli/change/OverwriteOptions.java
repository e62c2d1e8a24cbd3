package io.muster.cli.change;

import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.state.HoldChanges.Mode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code -u} and {@code -f} of flux resource, which change existing holds. */
public final class OverwriteOptions {
    @Option(
            names = {"-u", "--update"},
            description = "Leave targets as they are that are so already; without this they are an error.")
    private boolean update;

    @Option(
            names = {"-f", "--force"},
            description = "Replace the reason of targets that are so already; given twice, the time too.")
    private boolean @Nullable [] force;

    OverwriteOptions() {}

    /**
     * Sets the options without picocli.
     *
     * @param option -u, -f, or anything else for neither
     */
    OverwriteOptions(String option) {
        update = option.equals("-u");
        force = option.equals("-f") ? new boolean[] {true} : null;
    }

    Mode mode() {
        int times = force == null ? 0 : force.length;
        if (update && times > 0) {
            throw new Failure(Exit.USAGE, "-u and -f contradict each other");
        }
        return update ? Mode.UPDATE : times == 0 ? Mode.NONE : times == 1 ? Mode.OVERWRITE : Mode.FORCE_OVERWRITE;
    }
}
