package io.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Tool;
import io.muster.testing.Needs;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The Python programs of the folder {@code flux}, under the Python of the system and without Flux. */
@Timeout(600)
@Needs("python3")
@Tag("once")
class FluxFolderTest {
    private static final String PYTHON = "/usr/bin/python3";
    private static final Path TESTS =
            Path.of("..", "flux", "tests").toAbsolutePath().normalize();
    private static final Pattern RAN = Pattern.compile("Ran (\\d+) tests in ");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private static int ran(String output) {
        Matcher matcher = RAN.matcher(output);
        assertThat(matcher.find()).as(output).isTrue();
        assertThat(output).endsWith("OK\n").doesNotContain("skipped");
        return Integer.parseInt(matcher.group(1));
    }

    private static ProcessBuilder python(String... arguments) {
        ProcessBuilder command = new ProcessBuilder(arguments).redirectErrorStream(true);
        command.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        return command;
    }

    @Test
    void thePythonTestsPass() {
        String output = Tool.run(python(PYTHON, "-m", "unittest", "discover", TESTS.toString()));
        assertThat(ran(output)).as(output).isGreaterThan(80);
    }

    @Test
    void theBridgeWorksWithARealDaemon() {
        try (DaemonProcess daemon = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-3]"))
                .start()
                .expect("does not report any more")) {
            ProcessBuilder command =
                    python(PYTHON, TESTS.resolve("live_daemon.py").toString());
            command.environment().put("MUSTER_SOCKET", daemon.socket().toString());
            String output = Tool.run(command);
            assertThat(ran(output)).as(output).isEqualTo(3);
            daemon.stop();
        }
    }
}
