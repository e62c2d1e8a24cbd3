package io.muster.gates;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.metrics.Meter;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The alert rules for Prometheus. This test needs promtool from the package prometheus. */
@Timeout(300)
final class AlertRulesTest {
    private static final Path FOLDER = Path.of("../config/prometheus");
    private static final Pattern ALERT = Pattern.compile("alert: (\\w+)");
    private static final Pattern METER = Pattern.compile("\\bmuster_\\w+");

    private static void promtool(String... arguments) throws IOException, InterruptedException {
        ProcessBuilder command = new ProcessBuilder(arguments).redirectErrorStream(true);
        command.directory(FOLDER.toFile());
        Process process = command.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    @Test
    @Needs("promtool")
    void promtool_accepts_the_rules_and_their_tests_pass() throws Exception {
        promtool("promtool", "check", "rules", "muster.rules.yml");
        promtool("promtool", "test", "rules", "muster.test.yml");
    }

    private static Set<String> found(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        pattern.matcher(text).results().map(MatchResult::group).forEach(found::add);
        return found;
    }

    @Test
    void every_alert_is_tested_and_documented_and_uses_existing_meters() throws IOException {
        String rules = Files.readString(FOLDER.resolve("muster.rules.yml"));
        String tests = Files.readString(FOLDER.resolve("muster.test.yml"));
        String page = Files.readString(Path.of("../docs/operations.md"));
        assertThat(found(ALERT, rules)).hasSizeGreaterThan(5).allSatisfy(alert -> {
            String name = alert.substring("alert: ".length());
            assertThat(tests).contains("alertname: " + name);
            assertThat(page).contains("| `" + name + "` |");
        });
        Set<String> series = new TreeSet<>();
        for (Meter meter : Meter.values()) {
            series.addAll(meter.seriesNames());
        }
        assertThat(series).containsAll(found(METER, rules));
    }
}
