package io.muster.daemon.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class MetricsDocTest {
    private static final Path PAGE = Path.of("../docs/metrics.md");
    private static final Path DASHBOARD = Path.of("../config/grafana-dashboard.json");
    private static final String OPEN = "<!-- table -->\n";
    private static final String CLOSE = "<!-- /table -->";
    private static final Pattern NAME = Pattern.compile("\\b(?:muster|jvm|process|system)_[a-z_]+");

    /** Labels after {@code by}, before an operator of a selector, or in a legend. */
    private static final Pattern LABELS = Pattern.compile("by \\(([a-z_, ]+)\\)|([a-z_]+)(?=!?=~?\"|}})");

    private static String table() {
        return Arrays.stream(Meter.values())
                .map(meter -> String.format(
                        Locale.ROOT,
                        "| `%s` | %s | %s | %s |",
                        meter.meterName(),
                        meter.type().shown(),
                        meter.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", ")),
                        meter.description()))
                .collect(Collectors.joining("\n", "| name | type | labels | what |\n|---|---|---|---|\n", "\n"));
    }

    @Test
    void theDocumentHasTheTableOfAllMeters() throws IOException {
        String page = Files.readString(PAGE);
        int from = page.indexOf(OPEN) + OPEN.length();
        int to = page.indexOf(CLOSE);
        if (Boolean.getBoolean("muster.rewrite")) {
            Files.writeString(PAGE, page.substring(0, from) + table() + page.substring(to));
        }
        assertThat(Files.readString(PAGE)).contains(OPEN + table() + CLOSE);
    }

    @Test
    void theDashboardShowsExactlyTheMetersOfMuster() throws IOException {
        Set<String> ours =
                names().stream().filter(name -> name.startsWith("muster_")).collect(Collectors.toSet());
        assertThat(ours)
                .isSubsetOf(Arrays.stream(Meter.values())
                        .flatMap(meter -> meter.seriesNames().stream())
                        .toList());
        for (Meter meter : Meter.values()) {
            assertThat(meter.seriesNames()).as("is on the dashboard").containsAnyElementsOf(ours);
        }
    }

    @Test
    void metricsOfTheJvmOnTheDashboardExist() throws IOException {
        try (Metrics metrics = new Metrics("0", "0")) {
            String text = metrics.scrape();
            assertThat(names())
                    .filteredOn(name -> !name.startsWith("muster_"))
                    .allSatisfy(name -> assertThat(text).containsPattern("(?m)^" + name + "[ {]"));
        }
    }

    /** The labels by which panels sum and choose, and those that legends show. */
    @Test
    void theDashboardUsesOnlyLabelsThatItsMetersHave() throws IOException {
        Set<String> known = new TreeSet<>(Set.of("instance", "le", "area"));
        Arrays.stream(Meter.values()).forEach(meter -> known.addAll(meter.labels()));
        Set<String> used = new TreeSet<>();
        for (String key : new String[] {"expr", "legendFormat"}) {
            for (JsonNode text :
                    JsonMapper.builder().build().readTree(DASHBOARD.toFile()).findValues(key)) {
                Matcher m = LABELS.matcher(text.textValue());
                while (m.find()) {
                    used.addAll(Arrays.asList((m.group(1) == null ? m.group(2) : m.group(1)).split(", *")));
                }
            }
        }
        assertThat(used).contains("le", "topic", "area").isSubsetOf(known);
    }

    private static Set<String> names() throws IOException {
        Set<String> names = new TreeSet<>();
        for (JsonNode expression :
                JsonMapper.builder().build().readTree(DASHBOARD.toFile()).findValues("expr")) {
            Matcher m = NAME.matcher(expression.textValue());
            while (m.find()) {
                names.add(m.group());
            }
        }
        return names;
    }
}
