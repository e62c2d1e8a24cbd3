package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs verbs against a daemon in this process, one daemon for each test. */
abstract class VerbTest {
    @TempDir
    Path directory;

    RunningDaemon daemon;

    private final String resources;

    /** @param resources the resources in the configuration of the daemon */
    VerbTest(String resources) {
        this.resources = resources;
    }

    @BeforeEach
    void startDaemon() throws Exception {
        daemon = RunningDaemon.start(directory, resources);
    }

    @AfterEach
    void stopDaemon() {
        daemon.close();
    }

    Result muster(String... arguments) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(arguments);
    }

    void succeeds(String... arguments) {
        assertThat(muster(arguments)).isEqualTo(new Result(Exit.OK, "", ""));
    }

    String out(String... arguments) {
        Result result = muster(arguments);
        assertThat(result.err()).isEmpty();
        assertThat(result.exit()).isEqualTo(Exit.OK);
        return result.out();
    }

    Result refused(int exit, String... arguments) {
        Result result = muster(arguments);
        assertThat(result.out()).isEmpty();
        assertThat(result.exit()).as(result.err()).isEqualTo(exit);
        return result;
    }
}
