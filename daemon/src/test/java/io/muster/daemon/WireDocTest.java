package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell;
import io.muster.testing.Needs;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scheduler of {@code docs/wire.md}, unchanged. */
@Tag("once")
class WireDocTest {
    private static final int SCRIPT_LINES = 40;

    @TempDir
    private Path directory;

    @Test
    @Needs("python3")
    void theSchedulerWithoutLibfluxStartsJobsWhenHostsComeUp() throws Exception {
        Matcher script =
                Pattern.compile("(?s)```python\n(.*?)```").matcher(Files.readString(Path.of("../docs/wire.md")));
        assertThat(script.find()).isTrue();
        assertThat(script.group(1).lines()).hasSizeLessThanOrEqualTo(SCRIPT_LINES);
        Path file = Files.writeString(directory.resolve("scheduler.py"), script.group(1));
        RunningDaemon daemon =
                RunningDaemon.start(directory, "[[resource.config]]\nhosts = \"node[0-299]\"\ncores = \"0-3\"\n");
        Shell admin = new Shell().with("MUSTER_URI", daemon.uri());
        assertThat(admin.run("drain", "2", "bad fan").err()).isEmpty();
        Process scheduler = new ProcessBuilder(
                        "/usr/bin/python3",
                        file.toString(),
                        directory.resolve("s").toString(),
                        "3",
                        "297")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(scheduler.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(out.readLine()).isEqualTo("a job starts on ranks [0, 1, 3]");
            assertThat(admin.run("undrain", "2").err()).isEmpty();
            assertThat(out.readLine())
                    .startsWith("a job starts on ranks [2, 4, 5, ")
                    .endsWith(" 299]");
            daemon.close();
            assertThat(out.readLine()).startsWith("Operation canceled: ");
            assertThat(scheduler.waitFor()).isEqualTo(1);
        } finally {
            daemon.close();
            scheduler.destroy();
        }
    }
}
