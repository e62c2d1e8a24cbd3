package io.muster.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every test class and test method that the documents name exists: a promise needs a test. */
final class DocTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w*Test)(?:\\.(\\w+))?`");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| .* \\|$");

    private static final String TESTS = "src/test/java";

    /** A row of a group of faults, or of a planted bug with its seed, faults and seconds. */
    private static final String OF_THE_SIMULATOR = "\\| `[a-z]+` \\| .*|.*( \\| [\\d,]+){3} \\|";

    /** Sources by the simple name of their class; several classes may share a name. */
    private static final Map<String, List<String>> tests = new TreeMap<>();

    @BeforeAll
    static void readTests() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                if (Files.isDirectory(module.resolve(TESTS))) {
                    readTests(module.resolve(TESTS)); // not target, where other processes create and delete files
                }
            }
        }
        assertThat(tests).hasSizeGreaterThan(100);
    }

    private static void readTests(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith("Test.java")).toList()) {
                String name = Objects.requireNonNull(file.getFileName()).toString();
                tests.computeIfAbsent(name.substring(0, name.indexOf('.')), n -> new ArrayList<>())
                        .add(Files.readString(file));
            }
        }
    }

    @Test
    void every_test_that_a_document_names_exists() throws IOException {
        List<String> missing = new ArrayList<>();
        int named = 0;
        for (Path page : pages()) {
            for (MatchResult name :
                    NAMED.matcher(Files.readString(page)).results().toList()) {
                named++;
                if (!isThere(name.group(1), name.group(2))) {
                    missing.add(ROOT.relativize(page) + ": " + name.group());
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(named).isGreaterThan(50);
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (Path directory : List.of(ROOT, ROOT.resolve("docs"))) {
            try (Stream<Path> files = Files.list(directory)) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
            }
        }
        return pages;
    }

    private static boolean isThere(String type, @Nullable String method) {
        return tests.getOrDefault(type, List.of()).stream()
                .anyMatch(source -> method == null || source.contains(" void " + method + "("));
    }

    @Test
    void every_promise_and_every_bug_has_a_test() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/reliability.md"));
        assertThat(ROW.matcher(page).results().map(MatchResult::group))
                .filteredOn(row -> !row.startsWith("|--") && !row.matches("\\| (Promise|Test|Bug|Mix) .*"))
                .filteredOn(row -> !row.matches(OF_THE_SIMULATOR))
                .hasSizeGreaterThan(40)
                .allSatisfy(row -> assertThat(row).containsPattern("`[A-Z]\\w*Test[`.]|tests of `io\\.muster\\."));
    }
}
