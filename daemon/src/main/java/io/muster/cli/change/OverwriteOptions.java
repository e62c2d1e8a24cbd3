package io.muster.cli.change;

import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.state.HoldChanges.Mode;
import picocli.CommandLine.Option;

/**
 * The options {@code -u} and {@code -f} of flux resource, which determine what happens to existing holds. The two verbs
 * describe the options differently, because a drain changes a hold and an undrain ends it.
 */
public abstract class OverwriteOptions {
    private boolean update;
    private int force;

    /**
     * Sets the options without picocli.
     *
     * @param option -u, -f, or anything else for neither
     */
    final void set(String option) {
        update = option.equals("-u");
        force = option.equals("-f") ? 1 : 0;
    }

    final Mode mode() {
        if (update && force > 0) {
            throw new Failure(Exit.USAGE, "-u and -f contradict each other");
        }
        return update ? Mode.UPDATE : force == 0 ? Mode.NONE : force == 1 ? Mode.OVERWRITE : Mode.FORCE_OVERWRITE;
    }

    /** The options of {@code drain}. */
    public static final class OfDrain extends OverwriteOptions {
        @Option(
                names = {"-u", "--update"},
                description = "Skip targets that are already drained. Without -u they are an error.")
        void update(boolean isGiven) {
            super.update = isGiven;
        }

        @Option(
                names = {"-f", "--force"},
                description =
                        "Replace the reason of targets that are already drained, also if another user drained them"
                                + " under this holder. Given twice, replace the time of the hold too.")
        void force(boolean[] times) {
            super.force = times.length;
        }
    }

    /** The options of {@code undrain}. */
    public static final class OfUndrain extends OverwriteOptions {
        @Option(
                names = {"-u", "--update"},
                description = "Skip targets that are not drained. Without -u they are an error.")
        void update(boolean isGiven) {
            super.update = isGiven;
        }

        @Option(
                names = {"-f", "--force"},
                description =
                        "With --holder NAME, end that one hold although another user placed it. Skip targets without"
                                + " the hold. Given twice without --holder, end the holds of all holders.")
        void force(boolean[] times) {
            super.force = times.length;
        }
    }
}
